package clickbench

import (
	"fmt"
	"strings"
)

// column is a column of the generated table. value is the SQL expression that computes its value
// from i, the row's number. Strings are skewed as in web traffic: a few values make up most rows,
// and many columns are mostly empty.
type column struct{ name, typ, value string }

// uniform returns SQL for a pseudo-random number in [0, 1) that depends only on the row's number i
// and on a seed.
func uniform(seed string) string { return "(hash(i, '" + seed + "') / 18446744073709551616.0)" }

// skewed returns SQL for a pseudo-random integer in [0, n). Low numbers are more frequent than high
// ones. The higher power is, the larger is the difference.
func skewed(seed string, n int, power float64) string {
	return fmt.Sprintf("CAST(floor(%d * pow(%s, %g)) AS BIGINT)", n, uniform(seed), power)
}

// sometimes returns the SQL expression CASE ... THEN value ELSE otherwise END. Its condition is
// true in the given share (0 to 1) of the rows.
func sometimes(seed string, share float64, value, otherwise string) string {
	return fmt.Sprintf("CASE WHEN %s < %g THEN %s ELSE %s END", uniform(seed+"?"), share, value, otherwise)
}

var (
	site    = skewed("site", 5000, 3)
	url     = "'http://' || " + sometimes("google", 0.01, "'maps.google'", "'site' || "+site) + " || '.ru/catalog/' || " + skewed("page", 300_000, 2.5) + " || '/?from=' || " + skewed("from", 50, 3)
	referer = sometimes("referer", 0.8, "'https://www.source' || "+skewed("source", 2000, 4)+" || '.com/path/' || "+skewed("path", 100_000, 2), "''")
	title   = "'Page ' || " + skewed("page", 300_000, 2.5) + " || ' of shop ' || " + site + " || " + sometimes("in title", 0.005, "' - Google'", "' - buy online'")
	phrase  = sometimes("phrase", 0.13, "'how to find ' || "+skewed("phrase", 200_000, 2)+" || ' in town'", "''")
	moment  = "TIMESTAMP '2013-07-01' + to_seconds(CAST(floor(31 * 86400 * " + uniform("time") + ") AS BIGINT))"
	user    = sometimes("known user", 0.000002, "435090932899640449", "CAST(hash("+skewed("user", 400_000, 1.5)+", 'u') >> 1 AS BIGINT)")
	counter = sometimes("counter 62", 0.008, "62", skewed("counter", 6000, 3))
)

// special has the columns that the queries use, with the SQL that computes their values. The values
// of all other columns are made from their types.
var special = map[string]string{
	"WatchID": "CAST(hash(i, 'watch') >> 1 AS BIGINT)", "Title": title, "EventTime": moment, "EventDate": "CAST(" + moment + " AS DATE)",
	"CounterID": counter, "ClientIP": "CAST(CAST(hash(" + skewed("ip", 300_000, 1.5) + ", 'ip') % 4294967296 AS BIGINT) - 2147483648 AS INTEGER)",
	"RegionID": skewed("region", 5000, 3), "UserID": user, "URL": url, "Referer": referer, "IsRefresh": sometimes("refresh", 0.12, "1", "0"),
	"ResolutionWidth": "[1024, 1280, 1366, 1440, 1600, 1920][1 + " + skewed("width", 6, 1) + "]", "ResolutionHeight": "[768, 800, 900, 1080][1 + " + skewed("height", 4, 1) + "]",
	"MobilePhone": skewed("phone", 100, 6), "MobilePhoneModel": sometimes("model", 0.06, "'Model ' || "+skewed("model", 160, 3), "''"),
	"TraficSourceID": skewed("traffic", 12, 2) + " - 1", "SearchEngineID": skewed("engine", 80, 5), "SearchPhrase": phrase,
	"AdvEngineID": sometimes("adv", 0.006, "2 + "+skewed("adv", 30, 2), "0"), "WindowClientWidth": skewed("window width", 2000, 1), "WindowClientHeight": skewed("window height", 1200, 1),
	"ClientEventTime": moment + " + to_seconds(" + skewed("skew", 3600, 3) + ")", "LocalEventTime": moment + " + INTERVAL 4 HOURS",
	"IsLink": sometimes("link", 0.05, "1", "0"), "IsDownload": sometimes("download", 0.01, "1", "0"), "DontCountHits": sometimes("uncounted", 0.07, "1", "0"),
	"FUniqID": "CAST(hash(i, 'funiq') >> 1 AS BIGINT)", "HID": "CAST(hash(i, 'hid') % 2147483648 AS INTEGER)", "HitColor": "['5', 'T', 'E'][1 + " + skewed("color", 3, 2) + "]",
	"OriginalURL": sometimes("original", 0.3, url, "''"), "PageCharset": "['windows-1251', 'utf-8', ''][1 + " + skewed("charset", 3, 2) + "]",
	"RefererHash": sometimes("hash 1", 0.02, "3594120000172545465", "CAST(hash("+skewed("source", 2000, 4)+", 'r') >> 1 AS BIGINT)"),
	"URLHash":     sometimes("hash 2", 0.02, "2868770270353813622", "CAST(hash("+skewed("page", 300_000, 2.5)+", 'h') >> 1 AS BIGINT)"),
}

// definition lists the columns of ClickBench's table and their types, in order.
const definition = `WatchID BIGINT, JavaEnable SMALLINT, Title VARCHAR, GoodEvent SMALLINT, EventTime TIMESTAMP, EventDate DATE, CounterID INTEGER,
ClientIP INTEGER, RegionID INTEGER, UserID BIGINT, CounterClass SMALLINT, OS SMALLINT, UserAgent SMALLINT, URL VARCHAR, Referer VARCHAR, IsRefresh SMALLINT,
RefererCategoryID SMALLINT, RefererRegionID INTEGER, URLCategoryID SMALLINT, URLRegionID INTEGER, ResolutionWidth SMALLINT, ResolutionHeight SMALLINT,
ResolutionDepth SMALLINT, FlashMajor SMALLINT, FlashMinor SMALLINT, FlashMinor2 VARCHAR, NetMajor SMALLINT, NetMinor SMALLINT, UserAgentMajor SMALLINT,
UserAgentMinor VARCHAR, CookieEnable SMALLINT, JavascriptEnable SMALLINT, IsMobile SMALLINT, MobilePhone SMALLINT, MobilePhoneModel VARCHAR, Params VARCHAR,
IPNetworkID INTEGER, TraficSourceID SMALLINT, SearchEngineID SMALLINT, SearchPhrase VARCHAR, AdvEngineID SMALLINT, IsArtifical SMALLINT,
WindowClientWidth SMALLINT, WindowClientHeight SMALLINT, ClientTimeZone SMALLINT, ClientEventTime TIMESTAMP, SilverlightVersion1 SMALLINT,
SilverlightVersion2 SMALLINT, SilverlightVersion3 INTEGER, SilverlightVersion4 SMALLINT, PageCharset VARCHAR, CodeVersion INTEGER, IsLink SMALLINT,
IsDownload SMALLINT, IsNotBounce SMALLINT, FUniqID BIGINT, OriginalURL VARCHAR, HID INTEGER, IsOldCounter SMALLINT, IsEvent SMALLINT, IsParameter SMALLINT,
DontCountHits SMALLINT, WithHash SMALLINT, HitColor VARCHAR, LocalEventTime TIMESTAMP, Age SMALLINT, Sex SMALLINT, Income SMALLINT, Interests SMALLINT,
Robotness SMALLINT, RemoteIP INTEGER, WindowName INTEGER, OpenerName INTEGER, HistoryLength SMALLINT, BrowserLanguage VARCHAR, BrowserCountry VARCHAR,
SocialNetwork VARCHAR, SocialAction VARCHAR, HTTPError SMALLINT, SendTiming INTEGER, DNSTiming INTEGER, ConnectTiming INTEGER, ResponseStartTiming INTEGER,
ResponseEndTiming INTEGER, FetchTiming INTEGER, SocialSourceNetworkID SMALLINT, SocialSourcePage VARCHAR, ParamPrice BIGINT, ParamOrderID VARCHAR,
ParamCurrency VARCHAR, ParamCurrencyID SMALLINT, OpenstatServiceName VARCHAR, OpenstatCampaignID VARCHAR, OpenstatAdID VARCHAR, OpenstatSourceID VARCHAR,
UTMSource VARCHAR, UTMMedium VARCHAR, UTMCampaign VARCHAR, UTMContent VARCHAR, UTMTerm VARCHAR, FromTag VARCHAR, HasGCLID SMALLINT, RefererHash BIGINT,
URLHash BIGINT, CLID INTEGER`

func columns() []column {
	var out []column
	for _, d := range strings.Split(definition, ",") {
		name, typ, _ := strings.Cut(strings.TrimSpace(d), " ")
		value, ok := special[name]
		switch {
		case ok:
		case typ == "SMALLINT":
			value = skewed(name, 10, 4)
		case typ == "INTEGER":
			value = skewed(name, 5000, 4)
		case typ == "BIGINT":
			value = skewed(name, 100_000, 8)
		default:
			value = sometimes(name, 0.03, "'"+strings.ToLower(name)+"-' || "+skewed(name, 500, 3), "''")
		}
		out = append(out, column{name, typ, value})
	}
	return out
}

// createTable is the statement that creates the table hits. It has the same sort key as
// ClickBench's own table.
const createTable = "CREATE TABLE hits (" + definition + ") SORTED BY (CounterID, EventDate, UserID, EventTime, WatchID)"

// insert returns a statement that inserts the rows with numbers in [from, to).
func insert(from, to int) string {
	var values []string
	for _, c := range columns() {
		values = append(values, fmt.Sprintf("CAST(%s AS %s) AS %s", c.value, c.typ, c.name))
	}
	return fmt.Sprintf("INSERT INTO hits SELECT %s FROM range(%d, %d) t(i)", strings.Join(values, ", "), from, to)
}
