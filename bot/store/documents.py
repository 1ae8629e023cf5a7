"""The shelf of what personas know: documents, found by their words.

Beside each document lies a folded copy (`search_documents`, made by v0002), because neither database folds every
alphabet by itself: SQLite's LIKE knows ASCII only, PostgreSQL's depends on how the database was created. This shelf
writes the copy; it goes with its document by foreign key. SQLite's trigram index follows the copy by triggers, so
that it also follows rows that a cascade takes away.
"""

from dataclasses import dataclass

import sqlalchemy as sa

from bot.store.database import Tx
from bot.store.tables import documents, personas
from bot.store.words import fold, passage, pattern, phrase, words

TRIGRAM = 3
"""Shortest word, in characters, that a trigram index can find; shorter ones are found by reading."""

PASSAGE = 1_500
"""Longest passage of one document that a search gives, in characters."""

# Outside the metadata of the tables: with its index it is a structure of the search, made by a migration alone.
folded = sa.table(
    "search_documents",
    sa.column("document_id", sa.BigInteger),
    sa.column("title", sa.Text),
    sa.column("body", sa.Text),
)
trigrams = sa.table("search_documents_trigrams", sa.column("rowid", sa.BigInteger), sa.column("body", sa.Text))


@dataclass(frozen=True, slots=True)
class Document:
    """`length` is that of its text, in characters."""

    id: int
    title: str
    length: int
    added_by: str
    added_at: float


@dataclass(frozen=True, slots=True)
class Found:
    """A document that holds every word of a query, and its text around the first of them."""

    id: int
    title: str
    passage: str


def add(tx: Tx, persona_id: str, title: str, text: str, added_by: str, now: float) -> int:
    """Keep a document; returns its id."""
    values = {"persona_id": persona_id, "title": title, "text": text, "added_by": added_by, "added_at": now}
    document_id: int = tx.scalar(documents.insert().values(values).returning(documents.c.id))
    copy = {"document_id": document_id, "title": fold(title), "body": fold(f"{title}\n{text}")}
    tx.execute(folded.insert().values(copy))
    return document_id


def delete(tx: Tx, persona_id: str, document_id: int) -> bool:
    """False: this persona has no such document."""
    mine = (documents.c.id == document_id) & (documents.c.persona_id == persona_id)
    return tx.execute(documents.delete().where(mine)).rowcount == 1


def get(tx: Tx, persona_id: str, document_id: int) -> Document | None:
    mine = (documents.c.id == document_id) & (documents.c.persona_id == persona_id)
    row = tx.execute(_facts().where(mine)).first()
    return None if row is None else Document(*row)


def listed(tx: Tx, persona_id: str, limit: int) -> tuple[Document, ...]:
    """The newest first, at most `limit`."""
    query = _facts().where(documents.c.persona_id == persona_id).order_by(documents.c.id.desc()).limit(limit)
    return tuple(Document(*row) for row in tx.execute(query))


def count(tx: Tx, persona_id: str) -> int:
    number: int = tx.scalar(
        sa.select(sa.func.count()).select_from(documents).where(documents.c.persona_id == persona_id)
    )
    return number


def search(tx: Tx, persona_id: str, query: str, limit: int, room: int = 5_500) -> tuple[Found, ...]:
    """Documents that hold every word of `query`, in title or text, best first; `room` characters for all passages.

    Best: most of the words in the title, then the most occurrences, then the newest.
    """
    wanted = words(query)
    if not wanted:
        return ()
    # Counted rather than scored (FTS5 has bm25, PostgreSQL has not), so that both put the same document first.
    titles = sum((sa.case((_in(folded.c.title, word), 1), else_=0) for word in wanted), sa.literal(0))
    hits = sum((_occurrences(word) for word in wanted), sa.literal(0))
    best = (
        sa.select(documents.c.id, documents.c.title, documents.c.text)
        .join(folded, folded.c.document_id == documents.c.id)
        .where(documents.c.persona_id == persona_id, *(_condition(tx, word) for word in wanted))
        .order_by(titles.desc(), hits.desc(), documents.c.id.desc())
        .limit(limit)
    )
    rows = tx.execute(best).all()
    width = min(PASSAGE, room // max(1, len(rows)))
    return tuple(Found(number, title, passage(text, wanted, width)) for number, title, text in rows)


def knower(tx: Tx, persona_id: str) -> str:
    """The persona's name as people read it; its id where it has none."""
    return tx.scalar(sa.select(personas.c.display_name).where(personas.c.id == persona_id)) or persona_id


def _facts() -> sa.Select[tuple[int, str, int, str, float]]:
    columns = documents.c
    length = sa.func.length(columns.text, type_=sa.Integer)
    return sa.select(columns.id, columns.title, length, columns.added_by, columns.added_at)


def _in(column: sa.ColumnElement[str], word: str) -> sa.ColumnElement[bool]:
    return column.like(pattern(word), escape="/")


def _condition(tx: Tx, word: str) -> sa.ColumnElement[bool]:
    if tx.postgres or len(word) < TRIGRAM:
        return _in(folded.c.body, word)
    matching = sa.select(trigrams.c.rowid).where(trigrams.c.body.op("MATCH")(phrase(word)))
    return folded.c.document_id.in_(matching)


def _occurrences(word: str) -> sa.ColumnElement[int]:
    body = folded.c.body
    without = sa.func.length(sa.func.replace(body, word, ""), type_=sa.Integer)
    return (sa.func.length(body, type_=sa.Integer) - without) // len(word)
