package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.json.JSONArray;
import org.json.JSONException;
import org.json.JSONObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.core.io.ClassPathResource;

/** What an editor is told about the properties: all of them, each described. */
class ConfigurationMetadataTests {

    private static final String OF_TYPE =
            "META-INF/spring/configuration-metadata/io.github.ratelimit.autoconfigure.%s.json";

    @Test
    void metadataWhenBuiltThenEveryPropertyIsDescribed() throws Exception {
        assertThat(described("META-INF/spring-configuration-metadata.json"))
                .filteredOn(name -> name.startsWith("ratelimit."))
                .containsExactlyInAnyOrder(
                        "ratelimit.enabled",
                        "ratelimit.dry-run",
                        "ratelimit.client-ip.trusted-proxies",
                        "ratelimit.client-ip.header",
                        "ratelimit.client-ip.ipv4-prefix-length",
                        "ratelimit.client-ip.ipv6-prefix-length",
                        "ratelimit.response.status",
                        "ratelimit.response.headers",
                        "ratelimit.response.expose-to",
                        "ratelimit.response.cors-expose",
                        "ratelimit.filter.order",
                        "ratelimit.filter.authenticated-order",
                        "ratelimit.filter.exclude",
                        "ratelimit.redis.key-prefix",
                        "ratelimit.redis.database",
                        "ratelimit.redis.timeout",
                        "ratelimit.redis.connection-factory",
                        "ratelimit.reload.location",
                        "ratelimit.reload.interval",
                        "ratelimit.zones",
                        "ratelimit.rules");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ZoneProperties             | key algorithm rate burst delay-after max-concurrent store max-keys when-full on-store-failure local-guard lease missing-key penalty.after penalty.within penalty.ban penalty.multiplier penalty.max-ban penalty.permanent-after schedule overrides dry-run
            ZoneProperties$Window      | from to time-zone rate burst max-concurrent
            ZoneProperties$KeyOverride | key rate burst max-concurrent unlimited deny
            RuleProperties             | path methods zones rate burst cost inherit unlimited dry-run
            """)
    void metadataWhenBuiltThenEveryPropertyOfAnElementIsDescribed(String type, String names) throws Exception {
        assertThat(described(OF_TYPE.formatted(type))).containsExactlyInAnyOrder(names.split(" ", -1));
    }

    @Test
    void metadataWhenBuiltThenChoicesHaveHints() throws Exception {
        assertThat(names(read("META-INF/spring-configuration-metadata.json"), "hints"))
                .contains("ratelimit.client-ip.header", "ratelimit.response.headers", "ratelimit.response.expose-to");
        assertThat(names(read(OF_TYPE.formatted("ZoneProperties")), "hints"))
                .contains("key", "algorithm", "rate", "store", "when-full", "on-store-failure", "missing-key");
        assertThat(names(read(OF_TYPE.formatted("RuleProperties")), "hints")).contains("methods", "rate");
    }

    @Test
    void metadataWhenBuiltThenDefaultsAreVisible() throws Exception {
        JSONArray properties =
                read("META-INF/spring-configuration-metadata.json").getJSONArray("properties");
        for (int i = 0; i < properties.length(); i++) {
            JSONObject property = properties.getJSONObject(i);
            if (property.getString("name").equals("ratelimit.client-ip.ipv6-prefix-length")) {
                assertThat(property.get("defaultValue")).isEqualTo(64);
                return;
            }
        }
        throw new AssertionError("ratelimit.client-ip.ipv6-prefix-length has no metadata");
    }

    private static List<String> described(String resource) throws IOException, JSONException {
        JSONArray properties = read(resource).getJSONArray("properties");
        List<String> names = new ArrayList<>();
        for (int i = 0; i < properties.length(); i++) {
            if (!properties.getJSONObject(i).optString("description").isEmpty()) {
                names.add(properties.getJSONObject(i).getString("name"));
            }
        }
        return names;
    }

    private static List<String> names(JSONObject metadata, String items) throws JSONException {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < metadata.getJSONArray(items).length(); i++) {
            names.add(metadata.getJSONArray(items).getJSONObject(i).getString("name"));
        }
        return names;
    }

    private static JSONObject read(String resource) throws IOException, JSONException {
        return new JSONObject(new ClassPathResource(resource).getContentAsString(StandardCharsets.UTF_8));
    }
}
