"""Fixed forms of words: requests that people make without a plain verb in front, and talk that asks for nothing."""

import re
from dataclasses import dataclass
from typing import Literal

Talk = Literal["greeting", "thanks", "about", "dropped"]


@dataclass(frozen=True, slots=True)
class Form:
    pattern: re.Pattern[str]
    action: str
    noun: str


def _form(pattern: str, action: str, about: str) -> Form:
    return Form(re.compile(pattern, re.IGNORECASE | re.DOTALL), action, about)


_LIST_NOUN = r"(?P<noun>notes?|memories|memory|documents?|docs?|files?)"
FORMS = (
    _form(r"^what do you (?:know|remember) about me\b.*$", "read", "memory"),
    _form(
        r"^(?:what|which things) (?:do you remember|did (?:i|we) (?:ask|tell) you(?: to remember)?)\b.*$",
        "read",
        "memory",
    ),
    _form(r"^(?:do you remember|what do you recall)\b.*$", "read", "memory"),
    _form(r"^(?:what|anything)(?: do| does)? (?:you|we) know about (?P<rest>.+)$", "search", "document"),
    _form(
        r"^(?:(?:show|tell) me what you know about"
        r"|do you know (?:anything |something )?about|(?:what can you |can you )?tell me (?:more )?about) (?P<rest>.+)$",
        "search",
        "document",
    ),
    _form(r"^remember(?: that|\s*:| this\s*:)?\s+(?P<rest>(?!me$).+)$", "add", "memory"),
    _form(r"^(?:add |new )?(?:a )?(?:note|memo)\s*[:：–—-]\s*(?P<rest>.*)$", "add", "note"),
    _form(r"^note (?:down )?(?:that )(?P<rest>.+)$", "add", "note"),
    _form(r"^note down:? (?P<rest>.+)$", "add", "note"),
    _form(r"^(?:jot|write) down(?: that)?:? (?P<rest>.+)$", "add", "note"),
    _form(r"^(?:make|take) a note (?:of|to|that|about):? (?P<rest>.+)$", "add", "note"),
    _form(
        r"^(?:what(?:'s|’s| is) the (?:current )?(?:time|date)|what (?:time|day|date) is it"
        r"|(?:the |current )?time(?: now)?|what(?:'s|’s| is) today(?:'s|’s)? date)(?P<rest>.*)$",
        "read",
        "time",
    ),
    _form(
        rf"^(?:what|which|how many|any) {_LIST_NOUN}\b"
        r"(?:(?: do| have| are| can| did| we| I| you| there| got| saved| know| here)*)$",
        "read",
        "",
    ),
    _form(rf"^what (?:is|are)(?: in| on)? (?:my|our|the|your) {_LIST_NOUN}$", "read", ""),
    _form(rf"^(?:do|have) (?:I|we|you) (?:have |got )?(?:any )?{_LIST_NOUN}(?: here| saved)?$", "read", ""),
    _form(rf"^(?:are there any |all |my |our |the )*{_LIST_NOUN}(?: list)?$", "read", ""),
    # Chinese
    _form(r"^(?:请|帮我|请帮我)?(?:记住|请记得)[:：，, ]*(?P<rest>.+)$", "add", "memory"),
    _form(
        r"^(?:请|帮我|请帮我)?(?:写|记|添加|新建|加|增加)(?:一下|一个|一条|个|条|下)*笔记[:：，, ]*(?P<rest>.*)$",
        "add",
        "note",
    ),
    _form(r"^笔记[:：，,]\s*(?P<rest>.+)$", "add", "note"),
    _form(r"^(?:请|帮我|请帮我)?(?:记一下|记下来?|记个|记)[:：，, ]*(?P<rest>.+)$", "add", "note"),
    _form(r"^(?:请|帮我|请帮我)?(?:删除|删掉|移除)(?:第)?笔记\s*(?P<rest>.*)$", "delete", "note"),
    _form(r"^(?:请|帮我|请帮我)?(?:删除|删掉|移除)(?:第)?(?:文档|资料)\s*(?P<rest>.*)$", "delete", "document"),
    _form(r"^(?:列出|查看|显示|看看|我的|所有|全部|有哪些|请|的)*笔记(?:列表)?$", "read", "note"),
    _form(r"^(?:列出|查看|显示|看看|我的|所有|全部|有哪些|请|的)*(?:文档|资料|知识库?)(?:列表)?$", "read", "document"),
    _form(r"^(?:列出|查看|显示|看看|我的|所有|全部|请|的)*记忆$", "read", "memory"),
    _form(
        r"^(?:请|帮我|请帮我)?(?:搜索|查找|搜一下|查一下|搜)(?:一下|知识库?|资料|文档|里|中|的)*[:：，, ]*(?P<rest>.+)$",
        "search",
        "document",
    ),
    _form(
        r"^(?:你)?(?:知道)?(?:关于|有关)\s*(?P<rest>.+?)(?:的|，|,)?(?:你)?(?:知道|了解|知识|有)?(?:些?什么|哪些|吗)?(?:知识)?$",
        "search",
        "document",
    ),
    _form(r"^(?:现在|请问|今天|当前|的|是)*(?:几点|时间|几号|日期|星期几)(?:了|钟|啊|呢)*$", "read", "time"),
)

TALKS: tuple[tuple[re.Pattern[str], Talk], ...] = (
    (
        re.compile(
            r"^(?:no(?: thanks?| thank you)?|never ?mind|cancel|forget it|stop|nothing|不用了?|算了|取消)$", re.I
        ),
        "dropped",
    ),
    (
        re.compile(
            r"^(?:hi|hiya|hello|hey|good (?:morning|afternoon|evening|night|day)|howdy|greetings|how are you.*|how's it going.*"
            r"|what's up|sup|nice to meet you.*|你好|您好|嗨|早上?好|晚上好|大家好)(?: there| all| everyone| bot| again)?$",
            re.I,
        ),
        "greeting",
    ),
    (
        re.compile(
            r"^(?:thanks?(?: you| a lot| so much)*|thx|ty|great|cool|nice|perfect|ok(?:ay)?|yes|yep|lol|haha+|bye|goodbye"
            r"|see you.*|well done|good (?:job|bot)|谢谢.*|好的?|再见)$",
            re.I,
        ),
        "thanks",
    ),
    (
        re.compile(
            r"^(?:(?:who|what) (?:are|is) (?:you|this)(?:(?: exactly| really)|,? and .*)?"
            r"|are you .*|what(?:'s| is) your name|help|help me"
            r"|what can (?:you|i) (?:do|say|ask)\b.*|how (?:do|does|can) (?:you|i|this|it|we)\b.*|what tools?\b.*"
            r"|(?:list|show)(?: me)?"
            r" (?:your |the |all )*tools"
            r"|introduce yourself|你是谁|你会(?:做)?什么|你能做什么|你是什么.*|帮助)$",
            re.I,
        ),
        "about",
    ),
)
