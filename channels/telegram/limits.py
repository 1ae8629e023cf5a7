"""What Telegram takes, each number with its source.

Method pages: https://core.telegram.org/bots/api#sendmessage and neighbours.
"""

from channels.adapter import Limits

LIMITS = Limits(
    text=4096,  # "1-4096 characters after entities parsing" (#sendmessage)
    unit="utf16",  # entities are counted so (#messageentity); for the text it is the safe reading of "characters"
    entities=100,  # further ones are ignored without an error: https://core.telegram.org/method/messages.sendMessage
    label=64,  # not documented; what a phone's width shows of one button
    row=8,  # not documented: https://core.telegram.org/bots/api#inlinekeyboardmarkup refuses more
    buttons=100,  # not documented, as above
    token_bytes=64,  # "1-64 bytes" (#inlinekeyboardbutton, callback_data)
    notice=200,  # "0-200 characters" (#answercallbackquery)
    edit_age_s=None,  # a bot edits its own messages at any age (#editmessagetext)
    table_width=32,  # not documented; fixed-width characters on the line of a small phone
    activity_s=5.0,  # "5 seconds or less" (#sendchataction)
)

ALLOWED_UPDATES = ("message", "edited_message", "callback_query", "my_chat_member")
"""Sticky at Telegram, so they are named at every getUpdates and setWebhook (#getupdates)."""

COMMANDS = 100
"""#setmycommands"""
DESCRIPTION = 256
"""Characters of a command's description (#botcommand)."""

FILE_MB = 20
"""Largest file that the cloud's server hands to a bot (#getfile)."""

UPLOAD_MB = 50
"""Largest file that the cloud's server takes from a bot (#senddocument)."""

BATCH = 100
"""Updates in one answer (#getupdates)."""
CONNECTIONS = 40
"""Deliveries by webhook at one time (#setwebhook)."""
BODY = 1 << 20
"""Bytes of one delivery by webhook; Telegram's own are some ten thousand at most."""
