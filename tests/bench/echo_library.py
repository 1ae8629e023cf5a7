"""The yardstick: python-telegram-bot's own echo, as its documentation shows it. Nothing is stored."""

import sys

from telegram import Update
from telegram.ext import Application, ContextTypes, MessageHandler, filters


async def echo(update: Update, _context: ContextTypes.DEFAULT_TYPE) -> None:
    assert update.message is not None
    await update.message.reply_text(update.message.text or "")


def main() -> None:
    api_url, token = sys.argv[1:]
    app = Application.builder().token(token).base_url(f"{api_url}/bot").build()
    app.add_handler(MessageHandler(filters.TEXT, echo))
    app.run_polling(bootstrap_retries=0)


if __name__ == "__main__":
    main()
