"""The operations written by hand over sqlite3, which keeps prepared statements by itself."""

from __future__ import annotations

import datetime
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class UsersRow:
    id: int
    name: str
    email: str
    age: int
    created_at: str


@dataclass(frozen=True)
class GetPostsByUserResult:
    id: int
    user_id: int
    title: str
    content: str
    views: int
    published: int
    created_at: str


@dataclass(frozen=True)
class GetPublishedPostsResult:
    id: int
    title: str
    views: int
    created_at: str
    author: str


@dataclass(frozen=True)
class GetPostWithAuthorResult:
    id: int
    title: str
    content: str
    views: int
    author_id: int
    author: str
    author_email: str


@dataclass(frozen=True)
class GetOrdersResult:
    id: int
    placed: datetime.datetime
    paid: bool
    weight: float
    discount: float | None
    note: str | None


@dataclass(frozen=True)
class PostsFromResult:
    id: int
    title: str
    views: int


class Hand:
    def __init__(self, conn: sqlite3.Connection) -> None:
        self.conn = conn

    def get_all_users(self) -> list[UsersRow]:
        return [
            UsersRow(*row)
            for row in self.conn.execute("SELECT id, name, email, age, created_at FROM users")
        ]

    def get_user_by_id(self, id: int) -> UsersRow | None:
        row = self.conn.execute(
            "SELECT id, name, email, age, created_at FROM users WHERE id = ?", (id,)
        ).fetchone()
        return None if row is None else UsersRow(*row)

    def get_user_by_email(self, email: str) -> UsersRow | None:
        row = self.conn.execute(
            "SELECT id, name, email, age, created_at FROM users WHERE email = ?", (email,)
        ).fetchone()
        return None if row is None else UsersRow(*row)

    def get_users_by_ids(self, ids: Sequence[int]) -> list[UsersRow]:
        rows = self.conn.execute(
            "SELECT id, name, email, age, created_at FROM users WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(ids),),
        )
        return [UsersRow(*row) for row in rows]

    def count_users(self) -> int | None:
        row = self.conn.execute("SELECT count(*) AS users FROM users").fetchone()
        return None if row is None else row[0]

    def get_posts_by_user(self, user_id: int) -> list[GetPostsByUserResult]:
        rows = self.conn.execute(
            "SELECT id, user_id, title, content, views, published, created_at FROM posts WHERE user_id = ?",
            (user_id,),
        )
        return [GetPostsByUserResult(*row) for row in rows]

    def get_published_posts(self) -> list[GetPublishedPostsResult]:
        rows = self.conn.execute(
            """SELECT p.id, p.title, p.views, p.created_at, u.name AS author
FROM posts p JOIN users u ON u.id = p.user_id
WHERE p.published = 1 ORDER BY p.created_at DESC LIMIT 100"""
        )
        return [GetPublishedPostsResult(*row) for row in rows]

    def get_post_with_author(self, id: int) -> GetPostWithAuthorResult | None:
        row = self.conn.execute(
            """SELECT p.id, p.title, p.content, p.views, u.id AS author_id, u.name AS author, u.email AS author_email
FROM posts p JOIN users u ON u.id = p.user_id
WHERE p.id = ?""",
            (id,),
        ).fetchone()
        return None if row is None else GetPostWithAuthorResult(*row)

    def count_posts_by_user(self, user_id: int) -> int | None:
        row = self.conn.execute(
            "SELECT count(*) AS posts FROM posts WHERE user_id = ?", (user_id,)
        ).fetchone()
        return None if row is None else row[0]

    def get_orders(self, user_id: int) -> list[GetOrdersResult]:
        rows = self.conn.execute(
            "SELECT id, placed, paid, weight, discount, note FROM orders WHERE user_id = ?",
            (user_id,),
        )
        return [
            GetOrdersResult(
                id, datetime.datetime.fromisoformat(placed), bool(paid), weight, discount, note
            )
            for id, placed, paid, weight, discount, note in rows
        ]

    def posts_from_stream(self, id: int) -> Iterator[PostsFromResult]:
        for row in self.conn.execute(
            "SELECT id, title, views FROM posts WHERE id >= ? ORDER BY id LIMIT 1000", (id,)
        ):
            yield PostsFromResult(*row)

    def insert_user(self, name: str, email: str, age: int, created_at: str) -> int:
        return self.conn.execute(
            "INSERT INTO users (name, email, age, created_at) VALUES (?, ?, ?, ?)",
            (name, email, age, created_at),
        ).rowcount

    def update_post_views(self, id: int) -> int:
        return self.conn.execute("UPDATE posts SET views = views + 1 WHERE id = ?", (id,)).rowcount

    def insert_all_users(self, rows: Iterable[UsersRow]) -> int:
        self.conn.execute("BEGIN IMMEDIATE")
        try:
            count = self.conn.executemany(
                "INSERT INTO users (id, name, email, age, created_at) VALUES (?, ?, ?, ?, ?)",
                ((r.id, r.name, r.email, r.age, r.created_at) for r in rows),
            ).rowcount
            self.conn.execute("COMMIT")
        except BaseException:
            self.conn.execute("ROLLBACK")
            raise
        return count
