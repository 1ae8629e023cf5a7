"""The models of the configuration, built; nothing is loaded or asked before the first turn."""

from bot.config.models import ModelConfig
from bot.llm import providers
from bot.llm.offline import OfflinePlanner
from bot.llm.port import Model


def build_model(config: ModelConfig) -> Model:
    if config.provider == "offline":
        return OfflinePlanner()
    return providers.build(
        providers.ModelConfig(
            provider=config.provider,
            model=config.model,
            base_url=config.base_url,
            api_key=config.api_key.get_secret_value() if config.api_key else "",
            window=config.window,
        )
    )


async def close_model(model: Model) -> None:
    """Let go of its connections."""
    if isinstance(model, providers.ProviderModel):
        await model.aclose()
