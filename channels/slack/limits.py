"""What Slack takes, each number with its source.

Block Kit: https://docs.slack.dev/reference/block-kit/blocks and neighbours; methods: https://docs.slack.dev/reference/methods.
"""

from channels.adapter import Limits

LIMITS = Limits(
    text=3800,  # chat.update refuses more than 4,000 of text, and what is posted must be editable; some room for escapes
    unit="characters",
    entities=400,  # not documented; each is an element of a rich_text block
    label=75,  # text of a button
    row=5,  # not documented: so many stand beside each other on a desktop; one actions block takes 25
    buttons=100,  # 25 in one actions block, and blocks are needed for the text
    token_bytes=255,  # action_id; the contract asks for 64
    notice=3000,  # an ephemeral message; kept short like a section
    edit_age_s=None,  # the workspace decides (edit_window_closed)
    table_width=60,  # only for what does not fit a table block
    activity_s=120.0,  # the status below a thread goes by itself then (assistant.threads.setStatus)
    mark="!",  # a slash-command cannot be typed in a thread, and a message that begins with a slash is none
    whispers=True,  # chat.postEphemeral
    ids=False,  # people see names alone
    forms=20,  # a modal takes 100 blocks; more than this nobody fills in
    field=3000,  # value of a plain_text_input
)

BLOCKS = 50
HEADER = 150
URL = 3000
"""Of a button; for links it is not documented."""
BLOCKS_SUM = 12_000
"""Characters over all blocks of a message: refused from about 13,200 on, which is not documented."""
ACTIONS = 25
FALLBACK = 3000
"""Characters of `text`, which stands for the blocks in notifications: more than 4,000 cannot be updated."""
TABLE_ROWS, TABLE_COLUMNS, TABLE_CHARS = 100, 20, 10_000
"""A table block; one in each message."""
CONFIRM_TITLE, CONFIRM_TEXT, CONFIRM_BUTTON = 100, 300, 30
MODAL_TITLE = 24
"""Title, submit and close of a modal."""
INPUT_LABEL, INPUT_HINT, OPTION = 2000, 2000, 75
SECTION = 3000

ACK_S = 3.0
"""An event, a command or a press is acknowledged within this, or offered again."""
TRIGGER_S = 3.0
RESPONSES, RESPONSE_S = 5, 1800.0
"""How often, and how long, a response_url may be used."""
SIGNATURE_S = 300
"""A signed request that is older, or newer, is refused."""
BODY = 1 << 20
"""Bytes of one delivery by HTTP."""
