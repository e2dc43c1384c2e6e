package com.scoterdb.client;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;

/**
 * A Scoter server and the database to use on it, over HTTP. The object is immutable and may be used
 * by several threads. It does not need to be closed.
 */
public final class ScoterConnection {
    private final HttpClient client;
    private final String base;
    private final String database;
    private final String token;
    private final Duration timeout;

    /**
     * Uses the database {@code default} of the server at a URL such as
     * {@code http://127.0.0.1:7287}.
     */
    public ScoterConnection(String url) {
        // HTTP/1.1, because HTTP/2 would begin with an upgrade that the server does not support.
        this(
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build(),
                url.replaceAll("/+$", ""),
                "default",
                null,
                Duration.ofMinutes(5));
        String scheme = URI.create(url).getScheme();
        if (!"http".equals(scheme) && !"https".equals(scheme)) {
            throw new IllegalArgumentException("not the address of a server: " + url);
        }
    }

    private ScoterConnection(HttpClient client, String base, String database, String token, Duration timeout) {
        this.client = client;
        this.base = base;
        this.database = database;
        this.token = token;
        this.timeout = timeout;
    }

    /** Returns a connection to the same server with another default database. */
    public ScoterConnection withDatabase(String database) {
        return new ScoterConnection(client, base, database, token, timeout);
    }

    /** Returns a connection to the same server that sends a token with each request. */
    public ScoterConnection withToken(String token) {
        return new ScoterConnection(client, base, database, token, timeout);
    }

    /**
     * Returns a connection to the same server with another timeout. The timeout ends when the
     * response begins. The default is five minutes.
     */
    public ScoterConnection withTimeout(Duration timeout) {
        return new ScoterConnection(client, base, database, token, timeout);
    }

    /**
     * Returns a connection to the same server that uses the caller's HTTP client, for example with
     * a proxy or certificates.
     */
    public ScoterConnection withClient(HttpClient client) {
        return new ScoterConnection(client, base, database, token, timeout);
    }

    /**
     * Sends a statement. {@code params} is a JSON array of its parameters. {@code format} is a
     * result format of docs/API.md.
     */
    InputStream sql(String format, String sql, String params) throws SQLException {
        StringBuilder body = new StringBuilder("{\"sql\":");
        ScoterText.quoteJson(body, sql);
        ScoterText.quoteJson(body.append(",\"params\":").append(params).append(",\"database\":"), database);
        return post(
                "/api/v1/sql?format=" + format,
                "application/json",
                HttpRequest.BodyPublishers.ofString(
                        ScoterText.whole(body.append('}').toString())));
    }

    /** Sends rows in MessagePack. {@code path} is below the database's path in the API. */
    InputStream rows(String path, ScoterPack rows) throws SQLException {
        return post(
                "/api/v1/tables/"
                        + URLEncoder.encode(database, StandardCharsets.UTF_8).replace("+", "%20") + "/" + path,
                "application/msgpack",
                HttpRequest.BodyPublishers.ofByteArray(rows.array(), 0, rows.size()));
    }

    private InputStream post(String path, String type, HttpRequest.BodyPublisher body) throws SQLException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path))
                .timeout(timeout)
                .header("Content-Type", type)
                .POST(body);
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        try {
            HttpResponse<InputStream> response =
                    client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            if (response.statusCode() < 400) {
                return response.body();
            }
            try (InputStream answer = response.body()) {
                throw refused(response.statusCode(), new String(answer.readAllBytes(), StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            throw new SQLException("ask " + base + ": " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("ask " + base + ": interrupted", e);
        }
    }

    private static ScoterException refused(int status, String answer) {
        try {
            if (ScoterJson.parse(answer) instanceof Map<?, ?> document
                    && document.get("error") instanceof Map<?, ?> error) {
                return new ScoterException(
                        (String) error.get("kind"), (String) error.get("message"), (String) error.get("hint"));
            }
        } catch (SQLException e) {
            // The body is not an error object of Scoter; a proxy may have answered.
        }
        return new ScoterException(
                "internal", "status " + status + ": " + answer.substring(0, Math.min(200, answer.length())), null);
    }
}
