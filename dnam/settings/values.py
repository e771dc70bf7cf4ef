"""Every setting's value, typed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from dnam.settings.allowed import Ids


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting's value. tests/dnam/test_settings.py holds these fields against the table."""

    data: Path
    config: Path | None
    timezone: str
    language: str
    assistant_name: str
    context_dir: Path | None
    memory_enabled: bool
    memory_commands_enabled: bool
    summary_enabled: bool
    summary_model: str
    summary_max_chars: int
    summary_every_n_turns: int
    era_refreshes: int
    durable_memory_enabled: bool
    durable_model: str
    durable_every_n_turns: int
    extraction_idle_minutes: int
    durable_inject_max_chars: int
    durable_inject_max_items: int
    durable_max_items: int
    scoring: str
    recall_compiled: bool
    room_max_items: int
    room_max_chars: int
    passages: int
    passages_max_chars: int
    prompt_max_tokens: int
    merge_threshold: Decimal
    message_history_budget: int
    message_history_count: int
    learn: str
    retention_days: int
    view_commit_events: int
    answer_model: str
    model_tools: bool
    model_timeout_seconds: int
    answer_timeout_seconds: int
    max_cost_per_day: Decimal
    turns_per_minute: int
    encoder: str
    voyage_api_key: str = field(repr=False)
    voyage_base_url: str
    encoder_model: str
    encoder_dimensions: int
    encoder_threshold: Decimal
    encoder_memory_mb: int
    anthropic_api_key: str = field(repr=False)
    anthropic_base_url: str
    discord_token: str = field(repr=False)
    discord_api_url: str
    owner_ids: Ids
    allow_users: Ids
    allow_guilds: Ids
    respond_mode: str
    memory_channel_id: str
    json_mirror: bool
    json_mirror_dir: Path | None
    durable_data_dir: Path | None
    summary_data_dir: Path | None
    backup_passphrase: str = field(repr=False)
    log_format: str
    log_level: str
    health_port: int
    health_host: str
    origins: Mapping[str, str] = field(repr=False)
    """Where each value came from, by the setting's name."""
