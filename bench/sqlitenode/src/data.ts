/** The rows of the benchmark, the same on every run. */

export const userCount = 10_000;
export const postsPerUser = 50;
export const postCount = userCount * postsPerUser;

export interface User {
  id: number;
  name: string;
  email: string;
  age: number;
  created_at: string;
}

export interface Post {
  id: number;
  user_id: number;
  title: string;
  content: string;
  views: number;
  published: number;
  created_at: string;
}

const day = (n: number): string => new Date(Date.UTC(2025, 0, 1) + n * 1000).toISOString().slice(0, 19).replace("T", " ");

/** A user by id, from 1. */
export function user(id: number): User {
  return { id, name: `User ${id}`, email: `user${id}@example.com`, age: 18 + (id % 60), created_at: day(id) };
}

/** A post by id, from 1. No two are from the same second, so that every order is total. */
export function post(id: number): Post {
  const user_id = Math.floor((id - 1) / postsPerUser) + 1;
  return {
    id,
    user_id,
    title: `Post ${id}`,
    content: `What user ${user_id} has to say, number ${id}. `.repeat(3),
    views: (id * 7919) % 1000,
    published: id % 10 < 7 ? 1 : 0,
    created_at: day((id * 7919) % postCount),
  };
}
