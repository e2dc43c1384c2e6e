package bench;

import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;

/** The operations: what the generated code has, and what is written by hand. */
interface Operations {
    List<Blog.UsersRow> getAllUsers() throws SQLException;

    Blog.UsersRow getUserById(Long id) throws SQLException;

    Blog.UsersRow getUserByEmail(String email) throws SQLException;

    List<Blog.UsersRow> getUsersByIds(List<Long> ids) throws SQLException;

    Long countUsers() throws SQLException;

    List<Blog.GetPostsByUserResult> getPostsByUser(Long userId) throws SQLException;

    List<Blog.GetPublishedPostsResult> getPublishedPosts() throws SQLException;

    Blog.GetPostWithAuthorResult getPostWithAuthor(Long id) throws SQLException;

    Long countPostsByUser(Long userId) throws SQLException;

    List<Blog.GetOrdersResult> getOrders(Long userId) throws SQLException;

    Stream<Blog.PostsFromResult> postsFromStream(Long id) throws SQLException;

    int insertUser(String name, String email, Long age, String createdAt) throws SQLException;

    int updatePostViews(Long id) throws SQLException;

    long insertAllUsers(Iterable<Blog.UsersRow> rows) throws SQLException;
}
