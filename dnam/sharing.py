"""What a language knows of what may follow somebody everywhere, as the policy takes it."""

from dnam.languages import Language
from projections.policies.promotion import NO_WORDS, Harmless, SharingWords


def sharing_of(language: Language) -> SharingWords:
    """The words of a language; of one that is not known, only its name."""
    words = language.sharing
    return NO_WORDS._replace(
        language=language.name,
        first_person=words.first_person,
        fillers=words.fillers,
        tags=words.tags,
        others=words.others,
        sensitive=words.sensitive,
        harmless={name: Harmless(each.words, each.around, each.ends_in_name) for name, each in words.harmless.items()},
    )
