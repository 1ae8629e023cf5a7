"""What people are told when a model fails: what happened, what was not done, what to do next."""

from gettext import gettext as _

from bot.llm.port import ModelFailure


def failure_in_words(failure: ModelFailure) -> str:
    """A sentence or two for the chat; never the provider's own words."""
    match failure.kind:
        case "context":
            return _(
                "This conversation has become too long for the model. Send /new to start afresh, or a shorter message."
            )
        case "auth":
            return _(
                "The model refused our key, so there is no answer. An admin must check the key in the configuration."
            )
        case "quota":
            return _("The model's quota is used up, so there is no answer. An admin must top it up.")
        case "rate":
            return _("The model is asked too often just now, so there is no answer. Try again in a minute.")
        case "down":
            return _("The model cannot be reached just now, so there is no answer. Try again in a minute.")
        case "timeout":
            return _("The model did not answer in time. Try again, or ask for less at once.")
        case "rejected":
            return _("The model refused this request, so there is no answer. Put it another way, or send /new.")
        case "broken":
            return _("The model gave an answer that cannot be used. Try again.")
        case "missing":
            return _(
                "The configured model does not exist or its library is not installed. An admin must run `askfirst doctor`."
            )
