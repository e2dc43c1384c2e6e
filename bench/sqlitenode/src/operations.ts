/** The operations: what the generated code has, and what is written by hand over each driver. */
import type { User } from "./data.js";

export type Maybe<T> = T | Promise<T>;

export interface Author {
  id: number;
  title: string;
  content: string;
  views: number;
  author_id: number;
  author: string;
  author_email: string;
}

/** The methods that are measured; a driver's are promises or not. */
export interface Operations {
  getAllUsers(): Maybe<User[]>;
  getUserById(id: number): Maybe<User | undefined>;
  getUserByEmail(email: string): Maybe<User | undefined>;
  countUsers(): Maybe<number | undefined>;
  getPostsByUser(userId: number): Maybe<object[]>;
  getPublishedPosts(): Maybe<object[]>;
  getPostWithAuthor(id: number): Maybe<Author | undefined>;
  countPostsByUser(userId: number): Maybe<number | undefined>;
  insertUser(name: string, email: string, age: number, createdAt: string): Maybe<{ changes: number }>;
  updatePostViews(id: number): Maybe<{ changes: number }>;
  insertAllUsers(rows: Iterable<User>): Maybe<number>;
}

/** The statements, as they stand in queries.sql. */
export const sql = {
  getAllUsers: "SELECT id, name, email, age, created_at FROM users",
  getUserById: "SELECT id, name, email, age, created_at FROM users WHERE id = ?",
  getUserByEmail: "SELECT id, name, email, age, created_at FROM users WHERE email = ?",
  countUsers: "SELECT count(*) AS users FROM users",
  getPostsByUser: "SELECT id, user_id, title, content, views, published, created_at FROM posts WHERE user_id = ?",
  getPublishedPosts:
    "SELECT p.id, p.title, p.views, p.created_at, u.name AS author\n" +
    "FROM posts p JOIN users u ON u.id = p.user_id\nWHERE p.published = 1 ORDER BY p.created_at DESC LIMIT 100",
  getPostWithAuthor:
    "SELECT p.id, p.title, p.content, p.views, u.id AS author_id, u.name AS author, u.email AS author_email\n" +
    "FROM posts p JOIN users u ON u.id = p.user_id\nWHERE p.id = ?",
  countPostsByUser: "SELECT count(*) AS posts FROM posts WHERE user_id = ?",
  insertUser: "INSERT INTO users (name, email, age, created_at) VALUES (?, ?, ?, ?)",
  updatePostViews: "UPDATE posts SET views = views + 1 WHERE id = ?",
  insertAll: "INSERT INTO users (id, name, email, age, created_at) VALUES (?, ?, ?, ?, ?)",
} as const;
