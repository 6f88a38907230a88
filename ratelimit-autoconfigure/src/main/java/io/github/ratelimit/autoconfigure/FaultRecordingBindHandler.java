package io.github.ratelimit.autoconfigure;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.core.ResolvableType;

/** Notes each value that cannot be read and lets binding go on with the default in its place. */
final class FaultRecordingBindHandler implements BindHandler {

    private final Faults faults;
    private final List<ConfigurationPropertyName> unread = new ArrayList<>();

    /** Nothing of an element could be read. */
    private static final class LostElementException extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    FaultRecordingBindHandler(Faults faults) {
        this.faults = faults;
    }

    @Override
    public Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
        ConfigurationProperty property = context.getConfigurationProperty();
        if (result instanceof Number number
                && property != null
                && property.getValue() instanceof Number written
                && new BigDecimal(written.toString()).compareTo(new BigDecimal(number.toString())) != 0) {
            faults.add(name.toString(), "is " + written + "; write a whole number");
        }
        return result;
    }

    @Override
    public @Nullable Object onFailure(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error) {
        if (error instanceof LostElementException) {
            return new Binder(List.of()).bindOrCreate(name.toString(), target);
        }
        if (error instanceof UnboundConfigurationPropertiesException gap) {
            for (ConfigurationProperty property : gap.getUnboundProperties()) {
                faults.add(
                        property.getName().toString(),
                        "stands behind a gap in its list; number the elements from 0 without leaving one out");
            }
            return null;
        }
        Object written = written(name, context);
        if (written == null) {
            faults.add(name.toString(), "cannot be read: " + error.getMessage());
        } else if (!written.toString().isBlank()) {
            // a key of a YAML file with nothing behind it arrives as a blank: nothing was written
            faults.add(name.toString(), "is '" + written + "'; " + whatToWrite(target.getType(), written.toString()));
            unread.add(name);
        }
        return null;
    }

    /** Keeps an element nothing of which could be read: without it, binding would take the list for finished. */
    @Override
    public void onFinish(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, @Nullable Object result) {
        boolean element = name.isLastElementIndexed()
                || ZoneProperties.class == target.getType().resolve();
        if (result == null && element && unread.stream().anyMatch(name::isAncestorOf)) {
            throw new LostElementException();
        }
    }

    private static @Nullable Object written(ConfigurationPropertyName name, BindContext context) {
        for (ConfigurationPropertySource source : context.getSources()) {
            ConfigurationProperty property = source.getConfigurationProperty(name);
            if (property != null) {
                return property.getValue();
            }
        }
        return null;
    }

    private static String whatToWrite(ResolvableType target, String value) {
        Class<?> type = target.resolve(Object.class);
        if (type == boolean.class || type == Boolean.class) {
            return "write true or false";
        }
        if (type == int.class || type == Integer.class) {
            return wholeNumber(value, Integer.MAX_VALUE);
        }
        if (type == long.class || type == Long.class) {
            return wholeNumber(value, Long.MAX_VALUE);
        }
        if (type.isEnum()) {
            return "write one of " + constants(type);
        }
        if (type == Duration.class) {
            return "write a time with its unit, such as 100ms, 5s or 10m";
        }
        if (List.class.isAssignableFrom(type)) {
            return "write a list whose elements begin with a dash";
        }
        return "write its settings below it, each on a line of its own";
    }

    private static String wholeNumber(String value, long most) {
        try {
            boolean tooLarge = new BigInteger(value.trim()).compareTo(BigInteger.valueOf(most)) > 0;
            return tooLarge ? "write a whole number up to " + most : "write a whole number";
        } catch (NumberFormatException e) {
            return "write a whole number";
        }
    }

    private static String constants(Class<?> type) {
        return Arrays.stream(type.getEnumConstants())
                .map(constant ->
                        ((Enum<?>) constant).name().toLowerCase(Locale.ROOT).replace('_', '-'))
                .collect(Collectors.joining(", "));
    }
}
