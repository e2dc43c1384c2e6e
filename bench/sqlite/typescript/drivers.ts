/**
 * Each driver: how it opens a database, and the operations written by hand, statements prepared
 * once.
 */
import {
  type GetPostsByUserResult,
  type GetPostWithAuthorResult,
  type GetPublishedPostsResult,
  type Operations,
  type OrderRow,
  type PostsFromResult,
  sql,
  toOrder,
  type UsersRow,
} from "./operations.js";

export interface Opened {
  hand: Operations;
  generated: Operations;
  execute(sql: string): Promise<void>;
  rows(sql: string): Promise<unknown[]>;
  close(): Promise<void>;
}

export const drivers: Record<string, (path: string) => Promise<Opened>> = {
  "better-sqlite3": better,
  "node:sqlite": node,
  libsql,
  turso,
};

async function better(path: string): Promise<Opened> {
  const { default: Database } = await import("better-sqlite3");
  const { Blog } = await import("./better-sqlite3/blog.js");
  const db = new Database(path);
  const all = db.prepare(sql.getAllUsers);
  const byId = db.prepare(sql.getUserById);
  const byEmail = db.prepare(sql.getUserByEmail);
  const byIds = db.prepare(sql.getUsersByIds);
  const users = db.prepare(sql.countUsers).pluck();
  const posts = db.prepare(sql.getPostsByUser);
  const published = db.prepare(sql.getPublishedPosts);
  const author = db.prepare(sql.getPostWithAuthor);
  const countPosts = db.prepare(sql.countPostsByUser).pluck();
  const orders = db.prepare(sql.getOrders);
  const from = db.prepare(sql.postsFrom);
  const insert = db.prepare(sql.insertUser);
  const update = db.prepare(sql.updatePostViews);
  const insertOne = db.prepare(sql.insertAll);
  const insertMany = db.transaction((rows: Iterable<UsersRow>) => {
    let n = 0;
    for (const r of rows) n += insertOne.run(r.id, r.name, r.email, r.age, r.created_at).changes;
    return n;
  });
  return {
    hand: {
      getAllUsers: () => all.all() as UsersRow[],
      getUserById: (id) => byId.get(id) as UsersRow | undefined,
      getUserByEmail: (email) => byEmail.get(email) as UsersRow | undefined,
      getUsersByIds: (ids) => byIds.all(JSON.stringify(ids)) as UsersRow[],
      countUsers: () => users.get() as number,
      getPostsByUser: (userId) => posts.all(userId) as GetPostsByUserResult[],
      getPublishedPosts: () => published.all() as GetPublishedPostsResult[],
      getPostWithAuthor: (id) => author.get(id) as GetPostWithAuthorResult | undefined,
      countPostsByUser: (userId) => countPosts.get(userId) as number,
      getOrders: (userId) => (orders.all(userId) as OrderRow[]).map(toOrder),
      postsFromStream: (id) => from.iterate(id) as Iterable<PostsFromResult>,
      insertUser: (name, email, age, createdAt) => insert.run(name, email, age, createdAt),
      updatePostViews: (id) => update.run(id),
      insertAllUsers: (rows) => insertMany.immediate(rows),
    },
    generated: new Blog(db),
    execute: async (text) => void db.exec(text),
    rows: async (text) => db.prepare(text).all(),
    close: async () => void db.close(),
  };
}

async function node(path: string): Promise<Opened> {
  const { DatabaseSync } = await import("node:sqlite");
  const { Blog } = await import("./node/blog.js");
  const db = new DatabaseSync(path);
  const all = db.prepare(sql.getAllUsers);
  const byId = db.prepare(sql.getUserById);
  const byEmail = db.prepare(sql.getUserByEmail);
  const byIds = db.prepare(sql.getUsersByIds);
  const users = db.prepare(sql.countUsers);
  const posts = db.prepare(sql.getPostsByUser);
  const published = db.prepare(sql.getPublishedPosts);
  const author = db.prepare(sql.getPostWithAuthor);
  const countPosts = db.prepare(sql.countPostsByUser);
  const orders = db.prepare(sql.getOrders);
  const from = db.prepare(sql.postsFrom);
  const insert = db.prepare(sql.insertUser);
  const update = db.prepare(sql.updatePostViews);
  const insertOne = db.prepare(sql.insertAll);
  const generated = new Blog(db);
  return {
    hand: {
      getAllUsers: () => all.all() as unknown as UsersRow[],
      getUserById: (id) => byId.get(id) as UsersRow | undefined,
      getUserByEmail: (email) => byEmail.get(email) as UsersRow | undefined,
      getUsersByIds: (ids) => byIds.all(JSON.stringify(ids)) as unknown as UsersRow[],
      countUsers: () => (users.get() as { users: number }).users,
      getPostsByUser: (userId) => posts.all(userId) as unknown as GetPostsByUserResult[],
      getPublishedPosts: () => published.all() as unknown as GetPublishedPostsResult[],
      getPostWithAuthor: (id) => author.get(id) as GetPostWithAuthorResult | undefined,
      countPostsByUser: (userId) => (countPosts.get(userId) as { posts: number }).posts,
      getOrders: (userId) => (orders.all(userId) as unknown as OrderRow[]).map(toOrder),
      postsFromStream: (id) => from.iterate(id) as Iterable<unknown> as Iterable<PostsFromResult>,
      insertUser: (name, email, age, createdAt) =>
        insert.run(name, email, age, createdAt) as { changes: number },
      updatePostViews: (id) => update.run(id) as { changes: number },
      insertAllUsers: (rows) => {
        db.exec("BEGIN IMMEDIATE");
        try {
          let n = 0;
          for (const r of rows)
            n += insertOne.run(r.id, r.name, r.email, r.age, r.created_at).changes as number;
          db.exec("COMMIT");
          return n;
        } catch (error) {
          db.exec("ROLLBACK");
          throw error;
        }
      },
    },
    generated,
    execute: async (text) => db.exec(text),
    rows: async (text) => db.prepare(text).all(),
    close: async () => db.close(),
  };
}

async function libsql(path: string): Promise<Opened> {
  const { createClient } = await import("@libsql/client");
  const { Blog } = await import("./libsql/blog.js");
  const db = createClient({ url: "file:" + path });
  return {
    hand: {
      getAllUsers: async () => (await db.execute(sql.getAllUsers)).rows as unknown as UsersRow[],
      getUserById: async (id) =>
        (await db.execute({ sql: sql.getUserById, args: [id] })).rows[0] as unknown as
          | UsersRow
          | undefined,
      getUserByEmail: async (email) =>
        (await db.execute({ sql: sql.getUserByEmail, args: [email] })).rows[0] as unknown as
          | UsersRow
          | undefined,
      getUsersByIds: async (ids) =>
        (await db.execute({ sql: sql.getUsersByIds, args: [JSON.stringify(ids)] }))
          .rows as unknown as UsersRow[],
      countUsers: async () => (await db.execute(sql.countUsers)).rows[0]?.["users"] as number,
      getPostsByUser: async (userId) =>
        (await db.execute({ sql: sql.getPostsByUser, args: [userId] }))
          .rows as unknown as GetPostsByUserResult[],
      getPublishedPosts: async () =>
        (await db.execute(sql.getPublishedPosts)).rows as unknown as GetPublishedPostsResult[],
      getPostWithAuthor: async (id) =>
        (await db.execute({ sql: sql.getPostWithAuthor, args: [id] })).rows[0] as unknown as
          | GetPostWithAuthorResult
          | undefined,
      countPostsByUser: async (userId) =>
        (await db.execute({ sql: sql.countPostsByUser, args: [userId] })).rows[0]?.[
          "posts"
        ] as number,
      getOrders: async (userId) =>
        (
          (await db.execute({ sql: sql.getOrders, args: [userId] })).rows as unknown as OrderRow[]
        ).map(toOrder),
      postsFromStream: async function* (id) {
        yield* (await db.execute({ sql: sql.postsFrom, args: [id] }))
          .rows as unknown as PostsFromResult[];
      },
      insertUser: async (name, email, age, createdAt) => ({
        changes: (await db.execute({ sql: sql.insertUser, args: [name, email, age, createdAt] }))
          .rowsAffected,
      }),
      updatePostViews: async (id) => ({
        changes: (await db.execute({ sql: sql.updatePostViews, args: [id] })).rowsAffected,
      }),
      insertAllUsers: async (rows) => {
        const tx = await db.transaction("write");
        try {
          let n = 0;
          for (const r of rows)
            n += (
              await tx.execute({
                sql: sql.insertAll,
                args: [r.id, r.name, r.email, r.age, r.created_at],
              })
            ).rowsAffected;
          await tx.commit();
          return n;
        } finally {
          tx.close();
        }
      },
    },
    generated: new Blog(db),
    execute: async (text) => void (await db.execute(text)),
    rows: async (text) => (await db.execute(text)).rows,
    close: async () => db.close(),
  };
}

async function turso(path: string): Promise<Opened> {
  const { connect } = await import("@tursodatabase/database");
  const { Blog } = await import("./turso/blog.js");
  const db = await connect(path);
  const all = await db.prepare(sql.getAllUsers);
  const byId = await db.prepare(sql.getUserById);
  const byEmail = await db.prepare(sql.getUserByEmail);
  const byIds = await db.prepare(sql.getUsersByIds);
  const users = (await db.prepare(sql.countUsers)).pluck(true);
  const posts = await db.prepare(sql.getPostsByUser);
  const published = await db.prepare(sql.getPublishedPosts);
  const author = await db.prepare(sql.getPostWithAuthor);
  const countPosts = (await db.prepare(sql.countPostsByUser)).pluck(true);
  const orders = await db.prepare(sql.getOrders);
  const from = await db.prepare(sql.postsFrom);
  const insert = await db.prepare(sql.insertUser);
  const update = await db.prepare(sql.updatePostViews);
  const insertOne = await db.prepare(sql.insertAll);
  return {
    hand: {
      getAllUsers: () => all.all() as Promise<UsersRow[]>,
      getUserById: (id) => byId.get(id) as Promise<UsersRow | undefined>,
      getUserByEmail: (email) => byEmail.get(email) as Promise<UsersRow | undefined>,
      getUsersByIds: (ids) => byIds.all(JSON.stringify(ids)) as Promise<UsersRow[]>,
      countUsers: () => users.get() as Promise<number>,
      getPostsByUser: (userId) => posts.all(userId) as Promise<GetPostsByUserResult[]>,
      getPublishedPosts: () => published.all() as Promise<GetPublishedPostsResult[]>,
      getPostWithAuthor: (id) => author.get(id) as Promise<GetPostWithAuthorResult | undefined>,
      countPostsByUser: (userId) => countPosts.get(userId) as Promise<number>,
      getOrders: async (userId) => ((await orders.all(userId)) as OrderRow[]).map(toOrder),
      postsFromStream: (id) => from.iterate(id) as AsyncIterable<PostsFromResult>,
      insertUser: (name, email, age, createdAt) =>
        insert.run(name, email, age, createdAt) as Promise<{ changes: number }>,
      updatePostViews: (id) => update.run(id) as Promise<{ changes: number }>,
      insertAllUsers: async (rows) => {
        await db.exec("BEGIN IMMEDIATE");
        try {
          let n = 0;
          for (const r of rows)
            n += (await insertOne.run(r.id, r.name, r.email, r.age, r.created_at)).changes;
          await db.exec("COMMIT");
          return n;
        } catch (error) {
          await db.exec("ROLLBACK");
          throw error;
        }
      },
    },
    generated: new Blog(db),
    execute: async (text) => void (await db.exec(text)),
    rows: async (text) => (await (await db.prepare(text)).all()) as unknown[],
    close: () => db.close(),
  };
}
