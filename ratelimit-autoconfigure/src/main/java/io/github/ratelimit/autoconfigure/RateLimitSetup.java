package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.KeyResolver;
import io.github.ratelimit.key.CidrBlock;
import io.github.ratelimit.key.ClientAddress;
import io.github.ratelimit.key.KeyPart;
import io.github.ratelimit.key.KeyParts;
import io.github.ratelimit.policy.InvalidPolicyException.Fault;
import io.github.ratelimit.provided.ProvidedKeys;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * What was bound from {@code ratelimit.*}, and what it means in this application: its resolvers, its beans, its
 * libraries. Bound once; nothing in it throws, so that all faults can be told together.
 */
final class RateLimitSetup {

    /** By name: an orchestrator sets other variables that begin alike for a service that is called ratelimit-redis. */
    private static final List<String> REDIS_SETTINGS = List.of(
            "ratelimit.redis.key-prefix",
            "ratelimit.redis.database",
            "ratelimit.redis.timeout",
            "ratelimit.redis.connection-factory");

    /** Stands for a time that cannot be used, until that is told with all other faults and the application does not start. */
    private static final Duration UNTOLD = Duration.ofSeconds(1);

    private final PropertiesBinder.Bound bound;
    private final BeanFactory beans;
    private final ProvidedKeys providedKeys = new ProvidedKeys(System::nanoTime);
    private final ClientAddress clients;
    private final boolean securityPresent;
    private final boolean redisPresent;
    private final Environment environment;

    RateLimitSetup(Environment environment, BeanFactory beans, @Nullable ClassLoader classLoader) {
        this.bound = PropertiesBinder.bind(environment);
        this.beans = beans;
        this.environment = environment;
        this.redisPresent = RedisLibraries.present(classLoader);
        this.securityPresent =
                ClassUtils.isPresent("org.springframework.security.web.SecurityFilterChain", classLoader);
        this.clients = clientAddress(bound.properties().clientIp());
    }

    RateLimitProperties properties() {
        return bound.properties();
    }

    /** The settings, and where rules are written. */
    PropertiesBinder.Bound bound() {
        return bound;
    }

    List<Fault> bindingFaults() {
        return bound.faults();
    }

    /** What is wrong with the settings of others, where anything is limited. */
    List<Fault> foreignFaults() {
        Faults faults = new Faults();
        if (properties().clientIp().trustedProxies().isEmpty()) {
            ForwardedHeaders.check(environment, false, faults);
        }
        return faults.list();
    }

    ClientAddress clients() {
        return clients;
    }

    /** The file whose zones and rules lie over the application's own; {@code null} when none can be watched. */
    @Nullable
    ReloadFile reloadFile() {
        String location = properties().reload().location();
        try {
            return location == null || location.isBlank() ? null : new ReloadFile(location, environment);
        } catch (IllegalArgumentException e) {
            // told with all other faults, and the application does not start
            return null;
        }
    }

    /** The faults of the settings that are read once, at start-up. */
    List<Fault> settingFaults() {
        Faults faults = new Faults();
        SettingsCheck.check(properties(), faults);
        return faults.list();
    }

    /** The begin of every key in Redis. */
    String keyPrefix() {
        return environment.resolvePlaceholders(properties().redis().keyPrefix());
    }

    /** The whole budget of a decision in Redis. */
    Duration redisTimeout() {
        Duration timeout = properties().redis().timeout();
        return SettingsCheck.isBudget(timeout) ? timeout : UNTOLD;
    }

    /** How often the watched file is looked at. */
    Duration reloadInterval() {
        Duration interval = properties().reload().interval();
        return SettingsCheck.isInterval(interval) ? interval : UNTOLD;
    }

    /** Whether {@code ratelimit.redis.*} is set, and there is a Redis to use. */
    boolean isRedisWanted() {
        return !redisSettings().isEmpty() && storeFault() == null;
    }

    /**
     * Says which of {@code ratelimit.redis.*} are set although there is no Redis to use; {@code null} when none is. Zones
     * that need it are a fault of their own.
     */
    @Nullable
    String idleRedisSettings() {
        List<String> set = redisSettings();
        String fault = set.isEmpty() ? null : storeFault();
        return fault == null
                ? null
                : "every zone is local, and changes of them stay in this instance, although " + String.join(", ", set)
                        + (set.size() == 1 ? " is set: Redis " : " are set: Redis ") + fault
                        + ", or remove what is under ratelimit.redis";
    }

    private List<String> redisSettings() {
        return REDIS_SETTINGS.stream().filter(this::isWritten).toList();
    }

    /** A key of a YAML file with nothing behind it says nothing. */
    private boolean isWritten(String name) {
        ConfigurationPropertyName wanted = ConfigurationPropertyName.of(name);
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            ConfigurationProperty property = source.getConfigurationProperty(wanted);
            if (property != null) {
                return StringUtils.hasText(String.valueOf(property.getValue()));
            }
        }
        return false;
    }

    private @Nullable String storeFault() {
        if (!redisPresent) {
            return RedisLibraries.MISSING;
        }
        return redisFactories().fault();
    }

    /** The connection factories of the application; only where the libraries are there. */
    RedisFactories redisFactories() {
        RateLimitProperties.Redis redis = properties().redis();
        return new RedisFactories(beans, redis.connectionFactory(), redis.database());
    }

    /** What zones and rules are compiled with. */
    Surroundings surroundings(Surroundings.Provided provided, BooleanSupplier caseSensitivePaths) {
        return new Surroundings(
                clients,
                this::keyPart,
                InstantSource.system(),
                provided,
                securityPresent,
                this::secondPassFault,
                caseSensitivePaths,
                this::storeFault);
    }

    private @Nullable String secondPassFault() {
        int order = properties().filter().authenticatedOrder();
        OptionalInt security = SecurityFilterOrder.find(beans);
        return security.isEmpty() || order > security.getAsInt()
                ? null
                : "is " + order + ", not behind Spring Security's filter, whose order is " + security.getAsInt()
                        + " (spring.security.filter.order): nobody is signed in by then, and zones keyed by principal would"
                        + " count all users as one; write a number above " + security.getAsInt();
    }

    /** What the application's own resolvers say. */
    ProvidedKeys providedKeys() {
        return providedKeys;
    }

    /** The resolver of a name; throws as {@link KeyParts#of}. */
    KeyPart keyPart(String name) {
        KeyPart part = KeyParts.of(name, clients, this::keyResolver);
        if (part.needsIdentity() && !securityPresent) {
            throw new IllegalArgumentException("needs Spring Security on the class path;"
                    + " add spring-boot-starter-security, or write another key, such as header:NAME");
        }
        return part;
    }

    private @Nullable KeyResolver keyResolver(String name) {
        return beans.containsBean(name) && beans.isTypeMatch(name, KeyResolver.class)
                ? providedKeys.guarded(name, beans.getBean(name, KeyResolver.class))
                : null;
    }

    private static ClientAddress clientAddress(RateLimitProperties.ClientIp properties) {
        List<CidrBlock> trusted = new ArrayList<>();
        for (String proxy : properties.trustedProxies()) {
            try {
                trusted.add(CidrBlock.parse(proxy));
            } catch (IllegalArgumentException e) {
                // the compiler tells it together with all other faults, and the application does not start
            }
        }
        return new ClientAddress(
                trusted,
                properties.header(),
                Math.min(Math.max(properties.ipv4PrefixLength(), 0), 32),
                Math.min(Math.max(properties.ipv6PrefixLength(), 0), 128));
    }
}
