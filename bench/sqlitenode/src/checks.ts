/** What each operation is called with, and what it must give. */
import { deepStrictEqual, equal } from "node:assert/strict";
import { post, postCount, postsPerUser, user, userCount } from "./data.js";
import type { Opened } from "./drivers.js";
import type { Maybe, Operations } from "./operations.js";

export interface Case {
  /** The i-th call, whatever the arguments: look-ups hit. */
  call(o: Operations): (i: number) => Maybe<unknown>;
  /** Checks results of one side in full. */
  check(o: Operations): Promise<void>;
  /** Calls of a slice, where it is not as many as take some milliseconds; rows of a call. */
  most?: number;
  rows?: number;
  /** Around a turn: what was there before, and whether all that was called was done. */
  before?(db: Opened): Promise<number>;
  after?(db: Opened, before: number | undefined, calls: number): Promise<void>;
  /** After each slice. */
  between?(db: Opened): Promise<void>;
}

const userId = (i: number): number => ((i * 7919) % userCount) + 1;
const postId = (i: number): number => ((i * 7919) % postCount) + 1;
/** As JSON has it: own columns in order, whatever a driver's class for rows is. */
const plain = (v: unknown): unknown => (v === undefined ? undefined : JSON.parse(JSON.stringify(v)));
const some = Array.from({ length: 500 }, (_, i) => i * 20);
const number = async (db: Opened, sql: string): Promise<number> => Number(Object.values((await db.rows(sql))[0] as object)[0]);

const published = (): unknown[] =>
  Array.from({ length: postCount }, (_, i) => post(i + 1))
    .filter((p) => p.published === 1)
    .sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
    .slice(0, 100)
    .map((p) => ({ id: p.id, title: p.title, views: p.views, created_at: p.created_at, author: user(p.user_id).name }));
let newest: unknown[] | undefined;

let inserted = 0;
const bulkRows = 5000;
const bulk = Array.from({ length: bulkRows }, (_, i) => user(1_000_000 + i));

export const checks: Record<string, Case> = {
  getAllUsers: {
    call: (o) => () => o.getAllUsers(),
    check: async (o) => {
      const rows = plain(await o.getAllUsers()) as { id: number }[];
      equal(rows.length, userCount);
      rows.sort((a, b) => a.id - b.id).forEach((r, i) => deepStrictEqual(r, user(i + 1)));
    },
  },
  getUserById: {
    call: (o) => (i) => o.getUserById(userId(i)),
    check: async (o) => {
      for (const i of some) deepStrictEqual(plain(await o.getUserById(userId(i))), user(userId(i)));
      equal(await o.getUserById(-1), undefined);
    },
  },
  getUserByEmail: {
    call: (o) => (i) => o.getUserByEmail("user" + userId(i) + "@example.com"),
    check: async (o) => {
      for (const i of some) deepStrictEqual(plain(await o.getUserByEmail(user(userId(i)).email)), user(userId(i)));
    },
  },
  countUsers: { call: (o) => () => o.countUsers(), check: async (o) => equal(await o.countUsers(), userCount) },
  getPostsByUser: {
    call: (o) => (i) => o.getPostsByUser(userId(i)),
    check: async (o) => {
      for (const i of some.slice(0, 50)) {
        const id = userId(i);
        const want = Array.from({ length: postsPerUser }, (_, n) => post((id - 1) * postsPerUser + n + 1));
        deepStrictEqual(plain(await o.getPostsByUser(id)), want);
      }
    },
  },
  getPublishedPosts: {
    call: (o) => () => o.getPublishedPosts(),
    check: async (o) => deepStrictEqual(plain(await o.getPublishedPosts()), (newest ??= published())),
  },
  getPostWithAuthor: {
    call: (o) => (i) => o.getPostWithAuthor(postId(i)),
    check: async (o) => {
      for (const i of some) {
        const p = post(postId(i));
        const u = user(p.user_id);
        const want = { id: p.id, title: p.title, content: p.content, views: p.views, author_id: u.id, author: u.name, author_email: u.email };
        deepStrictEqual(plain(await o.getPostWithAuthor(p.id)), want);
      }
    },
  },
  countPostsByUser: {
    call: (o) => (i) => o.countPostsByUser(userId(i)),
    check: async (o) => {
      for (const i of some) equal(await o.countPostsByUser(userId(i)), postsPerUser);
    },
  },
  insertUser: {
    call: (o) => () => o.insertUser("new", "new" + inserted++ + "@example.com", 30, "2025-06-01 00:00:00"),
    check: async (o) => equal((await o.insertUser("new", "new" + inserted++ + "@example.com", 30, "2025-06-01 00:00:00")).changes, 1),
    before: async () => inserted,
    after: async (db, before, calls) => {
      // Both sides' checks inserted a row each.
      equal(inserted - before!, calls + 2);
      const there = "FROM users WHERE name = 'new' AND age = 30 AND created_at = '2025-06-01 00:00:00'";
      equal(await number(db, "SELECT count(DISTINCT email) " + there), calls + 2);
      await db.execute(`DELETE FROM users WHERE id > ${userCount}`);
      equal(await number(db, "SELECT count(*) FROM users"), userCount);
    },
  },
  updatePostViews: {
    call: (o) => (i) => o.updatePostViews(postId(i)),
    check: async (o) => equal((await o.updatePostViews(1)).changes, 1),
    before: (db) => number(db, "SELECT sum(views) FROM posts"),
    after: async (db, before, calls) => {
      equal((await number(db, "SELECT sum(views) FROM posts")) - before!, calls + 2);
      await db.execute("UPDATE posts SET views = id * 7919 % 1000");
      equal(await number(db, "SELECT sum(views) FROM posts"), Array.from({ length: postCount }, (_, i) => post(i + 1).views).reduce((a, b) => a + b));
    },
  },
  insertAllUsers: {
    call: (o) => () => o.insertAllUsers(bulk),
    most: 1,
    rows: bulkRows,
    check: async () => undefined,
    between: async (db) => {
      const ids = bulk.map((r) => r.id);
      const rows = (plain(await db.rows(`SELECT * FROM users WHERE id >= ${ids[0]} ORDER BY id`)) as object[]) ?? [];
      deepStrictEqual(rows, bulk);
      await db.execute(`DELETE FROM users WHERE id > ${userCount}`);
    },
  },
};
