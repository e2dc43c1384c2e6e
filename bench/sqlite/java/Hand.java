package bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The operations written by hand over JDBC, statements prepared once. */
final class Hand implements Operations, AutoCloseable {
    private static final DateTimeFormatter MOMENT = new DateTimeFormatterBuilder()
            .appendPattern("yyyy-MM-dd HH:mm:ss")
            .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
            .toFormatter();

    private final Connection connection;
    private final List<PreparedStatement> statements = new ArrayList<>();
    private final PreparedStatement allUsers;
    private final PreparedStatement userById;
    private final PreparedStatement userByEmail;
    private final PreparedStatement usersByIds;
    private final PreparedStatement countUsers;
    private final PreparedStatement postsByUser;
    private final PreparedStatement published;
    private final PreparedStatement postWithAuthor;
    private final PreparedStatement countPosts;
    private final PreparedStatement orders;
    private final PreparedStatement insertUser;
    private final PreparedStatement updateViews;

    Hand(Connection connection) throws SQLException {
        this.connection = connection;
        allUsers = prepare("SELECT id, name, email, age, created_at FROM users");
        userById = prepare("SELECT id, name, email, age, created_at FROM users WHERE id = ?");
        userByEmail = prepare("SELECT id, name, email, age, created_at FROM users WHERE email = ?");
        usersByIds = prepare(
                "SELECT id, name, email, age, created_at FROM users WHERE id IN (SELECT value FROM json_each(?))");
        countUsers = prepare("SELECT count(*) AS users FROM users");
        postsByUser = prepare(
                "SELECT id, user_id, title, content, views, published, created_at FROM posts WHERE user_id = ?");
        published = prepare("""
                SELECT p.id, p.title, p.views, p.created_at, u.name AS author
                FROM posts p JOIN users u ON u.id = p.user_id
                WHERE p.published = 1 ORDER BY p.created_at DESC LIMIT 100""");
        postWithAuthor = prepare("""
                SELECT p.id, p.title, p.content, p.views, u.id AS author_id, u.name AS author, u.email AS author_email
                FROM posts p JOIN users u ON u.id = p.user_id
                WHERE p.id = ?""");
        countPosts = prepare("SELECT count(*) AS posts FROM posts WHERE user_id = ?");
        orders = prepare("SELECT id, placed, paid, weight, discount, note FROM orders WHERE user_id = ?");
        insertUser = prepare("INSERT INTO users (name, email, age, created_at) VALUES (?, ?, ?, ?)");
        updateViews = prepare("UPDATE posts SET views = views + 1 WHERE id = ?");
    }

    private PreparedStatement prepare(String sql) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        statements.add(statement);
        return statement;
    }

    @Override
    public void close() throws SQLException {
        for (PreparedStatement s : statements) {
            s.close();
        }
    }

    private static Blog.UsersRow user(ResultSet rs) throws SQLException {
        return new Blog.UsersRow(rs.getLong(1), rs.getString(2), rs.getString(3), rs.getLong(4), rs.getString(5));
    }

    private static List<Blog.UsersRow> users(PreparedStatement statement) throws SQLException {
        try (ResultSet rs = statement.executeQuery()) {
            List<Blog.UsersRow> rows = new ArrayList<>();
            while (rs.next()) {
                rows.add(user(rs));
            }
            return rows;
        }
    }

    @Override
    public List<Blog.UsersRow> getAllUsers() throws SQLException {
        return users(allUsers);
    }

    @Override
    public Blog.UsersRow getUserById(Long id) throws SQLException {
        userById.setLong(1, id);
        try (ResultSet rs = userById.executeQuery()) {
            return rs.next() ? user(rs) : null;
        }
    }

    @Override
    public Blog.UsersRow getUserByEmail(String email) throws SQLException {
        userByEmail.setString(1, email);
        try (ResultSet rs = userByEmail.executeQuery()) {
            return rs.next() ? user(rs) : null;
        }
    }

    @Override
    public List<Blog.UsersRow> getUsersByIds(List<Long> ids) throws SQLException {
        usersByIds.setString(1, ids.stream().map(String::valueOf).collect(Collectors.joining(",", "[", "]")));
        return users(usersByIds);
    }

    @Override
    public Long countUsers() throws SQLException {
        try (ResultSet rs = countUsers.executeQuery()) {
            return rs.next() ? rs.getLong(1) : null;
        }
    }

    @Override
    public List<Blog.GetPostsByUserResult> getPostsByUser(Long userId) throws SQLException {
        postsByUser.setLong(1, userId);
        try (ResultSet rs = postsByUser.executeQuery()) {
            List<Blog.GetPostsByUserResult> rows = new ArrayList<>();
            while (rs.next()) {
                rows.add(new Blog.GetPostsByUserResult(
                        rs.getLong(1),
                        rs.getLong(2),
                        rs.getString(3),
                        rs.getString(4),
                        rs.getLong(5),
                        rs.getLong(6),
                        rs.getString(7)));
            }
            return rows;
        }
    }

    @Override
    public List<Blog.GetPublishedPostsResult> getPublishedPosts() throws SQLException {
        try (ResultSet rs = published.executeQuery()) {
            List<Blog.GetPublishedPostsResult> rows = new ArrayList<>();
            while (rs.next()) {
                rows.add(new Blog.GetPublishedPostsResult(
                        rs.getLong(1), rs.getString(2), rs.getLong(3), rs.getString(4), rs.getString(5)));
            }
            return rows;
        }
    }

    @Override
    public Blog.GetPostWithAuthorResult getPostWithAuthor(Long id) throws SQLException {
        postWithAuthor.setLong(1, id);
        try (ResultSet rs = postWithAuthor.executeQuery()) {
            return rs.next()
                    ? new Blog.GetPostWithAuthorResult(
                            rs.getLong(1),
                            rs.getString(2),
                            rs.getString(3),
                            rs.getLong(4),
                            rs.getLong(5),
                            rs.getString(6),
                            rs.getString(7))
                    : null;
        }
    }

    @Override
    public Long countPostsByUser(Long userId) throws SQLException {
        countPosts.setLong(1, userId);
        try (ResultSet rs = countPosts.executeQuery()) {
            return rs.next() ? rs.getLong(1) : null;
        }
    }

    @Override
    public List<Blog.GetOrdersResult> getOrders(Long userId) throws SQLException {
        orders.setLong(1, userId);
        try (ResultSet rs = orders.executeQuery()) {
            List<Blog.GetOrdersResult> rows = new ArrayList<>();
            while (rs.next()) {
                double value = rs.getDouble(5);
                Double discount = rs.wasNull() ? null : value;
                rows.add(new Blog.GetOrdersResult(
                        rs.getLong(1),
                        LocalDateTime.parse(rs.getString(2), MOMENT),
                        rs.getBoolean(3),
                        rs.getDouble(4),
                        discount,
                        rs.getString(6)));
            }
            return rows;
        }
    }

    @Override
    public Stream<Blog.PostsFromResult> postsFromStream(Long id) throws SQLException {
        PreparedStatement statement =
                connection.prepareStatement("SELECT id, title, views FROM posts WHERE id >= ? ORDER BY id LIMIT 1000");
        statement.setLong(1, id);
        ResultSet rs = statement.executeQuery();
        Iterator<Blog.PostsFromResult> rows = new Iterator<>() {
            private boolean ahead;
            private boolean there;

            @Override
            public boolean hasNext() {
                try {
                    if (!ahead) {
                        there = rs.next();
                        ahead = true;
                    }
                    return there;
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            }

            @Override
            public Blog.PostsFromResult next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                try {
                    ahead = false;
                    return new Blog.PostsFromResult(rs.getLong(1), rs.getString(2), rs.getLong(3));
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            }
        };
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(rows, Spliterator.ORDERED), false)
                .onClose(() -> {
                    try {
                        statement.close();
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                });
    }

    @Override
    public int insertUser(String name, String email, Long age, String createdAt) throws SQLException {
        insertUser.setString(1, name);
        insertUser.setString(2, email);
        insertUser.setLong(3, age);
        insertUser.setString(4, createdAt);
        return insertUser.executeUpdate();
    }

    @Override
    public int updatePostViews(Long id) throws SQLException {
        updateViews.setLong(1, id);
        return updateViews.executeUpdate();
    }

    @Override
    public long insertAllUsers(Iterable<Blog.UsersRow> rows) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO users (id, name, email, age, created_at) VALUES (?, ?, ?, ?, ?)")) {
            long n = 0;
            for (Blog.UsersRow r : rows) {
                insert.setLong(1, r.id());
                insert.setString(2, r.name());
                insert.setString(3, r.email());
                insert.setLong(4, r.age());
                insert.setString(5, r.createdAt());
                n += insert.executeUpdate();
            }
            connection.commit();
            return n;
        } catch (SQLException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }
}
