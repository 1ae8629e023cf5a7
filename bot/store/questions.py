"""Questions to requesters: each step of an answer is a compare-and-set, and the first end counts."""

from dataclasses import fields

import sqlalchemy as sa

from bot.domain.capability import server_of, server_pattern
from bot.domain.question import Question, QuestionState
from bot.store.database import Tx
from bot.store.tables import calls, questions

_COLUMNS = tuple(questions.c[field.name] for field in fields(Question))
_PENDING = questions.c.state == "pending"


def add(tx: Tx, question: Question) -> None:
    tx.execute(sa.insert(questions), {field.name: getattr(question, field.name) for field in fields(Question)})


def find(tx: Tx, question_id: str) -> Question | None:
    row = tx.execute(sa.select(*_COLUMNS).where(questions.c.id == question_id)).first()
    return None if row is None else Question(*row)


def pending_in(tx: Tx, conversation: str) -> list[Question]:
    """What waits in this conversation, oldest first."""
    return _many(tx, (questions.c.conversation == conversation) & _PENDING)


def pending_of_run(tx: Tx, run_id: str) -> list[Question]:
    return _many(tx, (questions.c.run_id == run_id) & _PENDING)


def pending_of_call(tx: Tx, call_id: str) -> list[Question]:
    return _many(tx, (questions.c.call_id == call_id) & _PENDING)


def pending_of_persona(tx: Tx, persona_id: str) -> list[Question]:
    return _many(tx, (questions.c.persona_id == persona_id) & _PENDING)


def pending_for(tx: Tx, capability_id: str) -> list[Question]:
    """What is asked for this capability."""
    return _many(tx, (questions.c.capability_id == capability_id) & _PENDING)


def pending_of_server(tx: Tx, server: str) -> list[Question]:
    """What is asked for something of this MCP server."""
    beginning = server_pattern(server).removesuffix("*")
    found = _many(tx, questions.c.capability_id.startswith(beginning, autoescape=True) & _PENDING)
    return [question for question in found if server_of(question.capability_id) == server]


def pending(tx: Tx, limit: int) -> list[Question]:
    return _many(tx, _PENDING, limit)


def due(tx: Tx, now: float, limit: int) -> list[Question]:
    """Those whose time is up."""
    return _many(tx, _PENDING & (questions.c.expires_at <= now), limit)


def to_remind(tx: Tx, now: float, limit: int) -> list[Question]:
    """Those that are due to be shown once more and were not."""
    return _many(tx, _PENDING & questions.c.reminded_at.is_(None) & (questions.c.remind_at <= now), limit)


def mark_reminded(tx: Tx, question_id: str, now: float) -> None:
    tx.execute(sa.update(questions).where(questions.c.id == question_id).values(reminded_at=now))


def mark_shown(tx: Tx, question_id: str, now: float) -> None:
    """Its card reached the chat."""
    first = (questions.c.id == question_id) & questions.c.shown_at.is_(None)
    tx.execute(sa.update(questions).where(first).values(shown_at=now))


def go_on(tx: Tx, question: Question, answers: str, picked: str) -> bool:
    """Keep what was given so far; False if it ended, or something else was given meanwhile."""
    same = (questions.c.answers == question.answers) & (questions.c.picked == question.picked)
    statement = sa.update(questions).where(questions.c.id == question.id, _PENDING, same)
    return tx.execute(statement.values(answers=answers, picked=picked)).rowcount == 1


def end(tx: Tx, question_id: str, state: QuestionState, now: float, reason: str | None) -> bool:
    """The first end counts; False if there was one."""
    statement = sa.update(questions).where(questions.c.id == question_id, _PENDING)
    return tx.execute(statement.values(state=state, ended_at=now, reason=reason)).rowcount == 1


def refused_before(tx: Tx, run_id: str, digest: str) -> bool:
    """Did the requester decline the very same question in this run, or leave it unanswered?"""
    query = (
        sa.select(questions.c.id)
        .join(calls, calls.c.id == questions.c.call_id)
        .where(
            questions.c.run_id == run_id,
            questions.c.resumes,
            calls.c.digest == digest,
            questions.c.state.in_(("declined", "expired")),
        )
        .limit(1)
    )
    return tx.scalar(query) is not None


def _many(tx: Tx, which: sa.ColumnElement[bool], limit: int | None = 1000) -> list[Question]:
    query = sa.select(*_COLUMNS).where(which).order_by(questions.c.created_at, questions.c.id).limit(limit)
    return [Question(*row) for row in tx.execute(query)]
