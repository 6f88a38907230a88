package io.github.ratelimit.method;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.security.Principal;
import java.util.Comparator;
import org.junit.jupiter.api.Test;
import org.springframework.util.ClassUtils;

class VariablesTests {

    @Test
    void argumentWhenNamesAreKnownThenFindsByNameAndPlace() {
        Variables variables = Variables.of(method(Own.class), null);

        assertThat(variables.argument("tenant")).isZero();
        assertThat(variables.argument("page")).isEqualTo(1);
        assertThat(variables.argument("p1")).isEqualTo(1);
        assertThat(variables.argument("a1")).isEqualTo(1);
        assertThat(variables.argument("p2")).isNegative();
        assertThat(variables.argument("request")).isNegative();
    }

    @Test
    void argumentWhenAnnotatedMethodHasOtherNamesThenFindsThoseToo() {
        Variables variables = Variables.of(method(Own.class), method(Promised.class));

        assertThat(variables.argument("customer")).isZero();
        assertThat(variables.argument("tenant")).isZero();
    }

    @Test
    void argumentWhenItHidesWhatSpringGivesThenWins() {
        assertThat(Variables.of(method(Hiding.class), null).argument("request")).isZero();
        assertThat(Variables.of(method(Same.class), null).argument("principal")).isNegative();
    }

    @Test
    void adviceWhenNamesAreNotInClassFileThenSaysSo() {
        Method compare = ClassUtils.getMethod(Comparator.class, "compare", Object.class, Object.class);

        assertThat(Variables.of(compare, null).advice())
                .isEqualTo("the names of its parameters are not in the class file; compile with -parameters,"
                        + " or write #p0 to #p1");
    }

    private static Method method(Class<?> type) {
        return type.getDeclaredMethods()[0];
    }

    interface Own {

        void own(String tenant, int page);
    }

    interface Promised {

        void own(String customer, int offset);
    }

    interface Hiding {

        void hide(String request);
    }

    interface Same {

        void same(Principal principal);
    }
}
