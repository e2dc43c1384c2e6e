package bench;

import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;

/** The generated code, which has no interface. */
record Generated(Blog blog) implements Operations {
    @Override
    public List<Blog.UsersRow> getAllUsers() throws SQLException {
        return blog.getAllUsers();
    }

    @Override
    public Blog.UsersRow getUserById(Long id) throws SQLException {
        return blog.getUserById(id);
    }

    @Override
    public Blog.UsersRow getUserByEmail(String email) throws SQLException {
        return blog.getUserByEmail(email);
    }

    @Override
    public List<Blog.UsersRow> getUsersByIds(List<Long> ids) throws SQLException {
        return blog.getUsersByIds(ids);
    }

    @Override
    public Long countUsers() throws SQLException {
        return blog.countUsers();
    }

    @Override
    public List<Blog.GetPostsByUserResult> getPostsByUser(Long userId) throws SQLException {
        return blog.getPostsByUser(userId);
    }

    @Override
    public List<Blog.GetPublishedPostsResult> getPublishedPosts() throws SQLException {
        return blog.getPublishedPosts();
    }

    @Override
    public Blog.GetPostWithAuthorResult getPostWithAuthor(Long id) throws SQLException {
        return blog.getPostWithAuthor(id);
    }

    @Override
    public Long countPostsByUser(Long userId) throws SQLException {
        return blog.countPostsByUser(userId);
    }

    @Override
    public List<Blog.GetOrdersResult> getOrders(Long userId) throws SQLException {
        return blog.getOrders(userId);
    }

    @Override
    public Stream<Blog.PostsFromResult> postsFromStream(Long id) throws SQLException {
        return blog.postsFromStream(id);
    }

    @Override
    public int insertUser(String name, String email, Long age, String createdAt) throws SQLException {
        return blog.insertUser(name, email, age, createdAt);
    }

    @Override
    public int updatePostViews(Long id) throws SQLException {
        return blog.updatePostViews(id);
    }

    @Override
    public long insertAllUsers(Iterable<Blog.UsersRow> rows) throws SQLException {
        return blog.insertAllUsers(rows);
    }
}
