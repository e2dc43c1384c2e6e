/** The operations: what the generated code has, and what is written by hand over each driver. */
import type {
  GetOrdersResult,
  GetPostsByUserResult,
  GetPostWithAuthorResult,
  GetPublishedPostsResult,
  PostsFromResult,
  UsersRow,
} from "./better-sqlite3/blog.js";

export type {
  GetOrdersResult,
  GetPostsByUserResult,
  GetPostWithAuthorResult,
  GetPublishedPostsResult,
  PostsFromResult,
  UsersRow,
};
export type Maybe<T> = T | Promise<T>;

/** The methods that are measured; a driver's are promises or not. */
export interface Operations {
  getAllUsers(): Maybe<UsersRow[]>;
  getUserById(id: number): Maybe<UsersRow | undefined>;
  getUserByEmail(email: string): Maybe<UsersRow | undefined>;
  getUsersByIds(ids: readonly number[]): Maybe<UsersRow[]>;
  countUsers(): Maybe<number | undefined>;
  getPostsByUser(userId: number): Maybe<GetPostsByUserResult[]>;
  getPublishedPosts(): Maybe<GetPublishedPostsResult[]>;
  getPostWithAuthor(id: number): Maybe<GetPostWithAuthorResult | undefined>;
  countPostsByUser(userId: number): Maybe<number | undefined>;
  getOrders(userId: number): Maybe<GetOrdersResult[]>;
  postsFromStream(id: number): Iterable<PostsFromResult> | AsyncIterable<PostsFromResult>;
  insertUser(
    name: string,
    email: string,
    age: number,
    createdAt: string,
  ): Maybe<{ changes: number }>;
  updatePostViews(id: number): Maybe<{ changes: number }>;
  insertAllUsers(rows: Iterable<UsersRow>): Maybe<number>;
}

/** The statements, as they stand in queries.sql. */
export const sql = {
  getAllUsers: "SELECT id, name, email, age, created_at FROM users",
  getUserById: "SELECT id, name, email, age, created_at FROM users WHERE id = ?",
  getUserByEmail: "SELECT id, name, email, age, created_at FROM users WHERE email = ?",
  getUsersByIds:
    "SELECT id, name, email, age, created_at FROM users WHERE id IN (SELECT value FROM json_each(?))",
  countUsers: "SELECT count(*) AS users FROM users",
  getPostsByUser:
    "SELECT id, user_id, title, content, views, published, created_at FROM posts WHERE user_id = ?",
  getPublishedPosts:
    "SELECT p.id, p.title, p.views, p.created_at, u.name AS author\n" +
    "FROM posts p JOIN users u ON u.id = p.user_id\nWHERE p.published = 1 ORDER BY p.created_at DESC LIMIT 100",
  getPostWithAuthor:
    "SELECT p.id, p.title, p.content, p.views, u.id AS author_id, u.name AS author, u.email AS author_email\n" +
    "FROM posts p JOIN users u ON u.id = p.user_id\nWHERE p.id = ?",
  countPostsByUser: "SELECT count(*) AS posts FROM posts WHERE user_id = ?",
  getOrders: "SELECT id, placed, paid, weight, discount, note FROM orders WHERE user_id = ?",
  postsFrom: "SELECT id, title, views FROM posts WHERE id >= ? ORDER BY id LIMIT 1000",
  insertUser: "INSERT INTO users (name, email, age, created_at) VALUES (?, ?, ?, ?)",
  updatePostViews: "UPDATE posts SET views = views + 1 WHERE id = ?",
  insertAll: "INSERT INTO users (id, name, email, age, created_at) VALUES (?, ?, ?, ?, ?)",
} as const;

/** A row of orders as a driver returns it. */
export type OrderRow = Omit<GetOrdersResult, "paid"> & { paid: number };

export const toOrder = (r: OrderRow): GetOrdersResult => ({
  id: r.id,
  placed: r.placed,
  paid: r.paid !== 0,
  weight: r.weight,
  discount: r.discount,
  note: r.note,
});

const userCount = 10_000;
const postCount = 500_000;
const bulkRows = 5000;
const userId = (i: number): number => ((i * 7919) % userCount) + 1;
const postId = (i: number): number => ((i * 7919) % postCount) + 1;
const userIds = (i: number): number[] => Array.from({ length: 20 }, (_, k) => userId(20 * i + k));
const bulk: UsersRow[] = Array.from({ length: bulkRows }, (_, i) => ({
  id: 1_000_000 + i,
  name: "bulk " + i,
  email: "bulk" + i + "@example.com",
  age: i % 90,
  created_at: "2025-06-01 00:00:00",
}));

/** The i-th call of an operation: look-ups hit, and no two neighbours are of one row. */
export const calls: Record<string, (o: Operations, i: number) => Maybe<unknown>> = {
  getAllUsers: (o) => o.getAllUsers(),
  getUserById: (o, i) => o.getUserById(userId(i)),
  getUserByEmail: (o, i) => o.getUserByEmail("user" + userId(i) + "@example.com"),
  getUsersByIds: (o, i) => o.getUsersByIds(userIds(i)),
  countUsers: (o) => o.countUsers(),
  getPostsByUser: (o, i) => o.getPostsByUser(userId(i)),
  getPublishedPosts: (o) => o.getPublishedPosts(),
  getPostWithAuthor: (o, i) => o.getPostWithAuthor(postId(i)),
  countPostsByUser: (o, i) => o.countPostsByUser(userId(i)),
  getOrders: (o, i) => o.getOrders(userId(i)),
  postsFrom: (o, i) => o.postsFromStream(postId(i) % (postCount - 1000)),
  insertUser: (o, i) => o.insertUser("new", "new" + i + "@example.com", 30, "2025-06-01 00:00:00"),
  updatePostViews: (o, i) => o.updatePostViews(postId(i)),
  insertAllUsers: (o) => o.insertAllUsers(bulk),
};
