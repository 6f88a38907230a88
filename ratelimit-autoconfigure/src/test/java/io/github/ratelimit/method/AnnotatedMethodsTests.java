package io.github.ratelimit.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.RateLimited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.core.annotation.AliasFor;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;

class AnnotatedMethodsTests {

    @Test
    void declaredWhenMethodAnnotatedThenFindsIt() {
        assertThat(zones(Plain.class)).containsExactlyInAnyOrderEntriesOf(Map.of("limited", List.of("own")));
    }

    @Test
    void declaredWhenMethodAndClassAnnotatedThenMethodWins() {
        assertThat(zones(OnClass.class))
                .containsExactlyInAnyOrderEntriesOf(Map.of("limited", List.of("own"), "other", List.of("class")));
    }

    @Test
    void declaredWhenOverriddenThenNearestWins() {
        assertThat(zones(Overriding.class)).containsEntry("limited", List.of("nearer"));
        assertThat(zones(SilentlyOverriding.class)).containsEntry("limited", List.of("own"));
    }

    @Test
    void declaredWhenOnGenericInterfaceThenFindsIt() {
        assertThat(zones(GenericImplementation.class)).containsEntry("save", List.of("interface"));
        assertThat(AnnotatedMethods.of(GenericImplementation.class, text -> text)
                        .aliases()
                        .keySet())
                .as("bridge, interface and method itself")
                .filteredOn(method -> method.getName().equals("save"))
                .hasSize(3);
    }

    @Test
    void declaredWhenOnGenericSuperclassThenFindsIt() {
        assertThat(zones(GenericSubclass.class)).containsEntry("save", List.of("superclass"));
    }

    @Test
    void declaredWhenInterfaceIsKeptByInheritedMethodThenFindsIt() {
        assertThat(zones(KeepsByInheritance.class)).containsEntry("promised", List.of("promise"));
    }

    @Test
    void declaredWhenInterfaceAndMethodAnnotatedThenDoesNotAddUp() {
        assertThat(zones(Both.class)).containsEntry("promised", List.of("own"));
    }

    @Test
    void declaredWhenDefaultMethodThenFindsIt() {
        assertThat(zones(ByDefault.class)).containsEntry("given", List.of("default"));
    }

    @Test
    void declaredWhenRepeatedThenFindsAll() {
        assertThat(zones(Repeating.class))
                .containsEntry("twice", List.of("one", "two"))
                .containsEntry("contained", List.of("one", "two"))
                .containsEntry("mixed", List.of("one", "meta"))
                .containsEntry("tiered", List.of("short", "long"));
    }

    @Test
    void declaredWhenMetaAnnotationHasAliasesThenMergesThem() {
        Declared declared = AnnotatedMethods.of(Aliased.class, text -> text)
                .declared()
                .values()
                .iterator()
                .next()
                .get(0);

        assertThat(declared.limit().zone()).isEqualTo("meta");
        assertThat(declared.limit().key()).isEqualTo("header:X-Tenant");
        assertThat(declared.limit().cost()).isEqualTo("3");
    }

    @Test
    void declaredWhenClassOfBeanAnnotatedThenLimitsMethodsThatAProxyCanStandBefore() {
        assertThat(zones(PublicAndOther.class))
                .containsOnlyKeys("visible", "inherited", "packagePrivate", "forSubclasses", "publicAndFinal");
    }

    @Test
    void declaredWhenPackagePrivateMethodIsOfAnotherPackageThenNoProxyStandsBeforeIt() {
        assertThat(AnnotatedMethods.of(OfAnotherPackage.class, text -> text)
                        .declared()
                        .keySet())
                .extracting(Method::getName)
                .contains("get", "removeEldestEntry")
                .as("package-private in java.util")
                .doesNotContain("newNode");
    }

    @Test
    void declaredWhenClassOfControllerAnnotatedThenLimitsHandlersWhoeverMaySeeThem() {
        assertThat(zones(AnnotatedController.class)).containsOnlyKeys("handler");
        assertThat(zones(HiddenHandlers.class))
                .containsOnlyKeys("forSubclasses", "packagePrivate", "hidden", "fixed", "ofClass");
    }

    @Test
    void declaredWhenSubclassAnnotatedThenItsOwnWins() {
        assertThat(zones(SubclassOfOnClass.class)).containsEntry("other", List.of("subclass"));
        assertThat(zones(SilentSubclassOfOnClass.class)).containsEntry("other", List.of("class"));
    }

    @Test
    void proxiedWhenHandlersNeedNoArgumentThenOnlyWhereHarmless() {
        assertThat(AnnotatedMethods.of(AnnotatedController.class, text -> text).proxied())
                .isTrue();
        assertThat(AnnotatedMethods.of(WithFinalMethod.class, text -> text).proxied())
                .isFalse();
        assertThat(AnnotatedMethods.of(WithFinalMethodAndArgument.class, text -> text)
                        .proxied())
                .isTrue();
    }

    @Test
    void declaredWhenClassOfJavaOrSpringThenFindsNothing() {
        assertThat(zones(String.class)).isEmpty();
        assertThat(zones(GetMapping.class)).isEmpty();
    }

    private static Map<String, List<String>> zones(Class<?> type) {
        return AnnotatedMethods.of(type, text -> text).declared().entrySet().stream()
                .collect(java.util.stream.Collectors.toMap(
                        entry -> ((Method) entry.getKey()).getName(),
                        entry -> entry.getValue().stream()
                                .map(Declared::limit)
                                .flatMap(limit -> Stream.of(limit.value(), limit.zone()))
                                .filter(name -> !name.isEmpty())
                                .toList()));
    }

    static class Plain {

        @RateLimited("own")
        public void limited() {}

        public void other() {}
    }

    @RateLimited("class")
    static class OnClass {

        @RateLimited("own")
        public void limited() {}

        public void other() {}
    }

    @RateLimited("subclass")
    static class SubclassOfOnClass extends OnClass {}

    static class SilentSubclassOfOnClass extends OnClass {}

    static class Overriding extends Plain {

        @Override
        @RateLimited("nearer")
        public void limited() {}
    }

    static class SilentlyOverriding extends Plain {

        @Override
        public void limited() {}
    }

    interface Store<T> {

        @RateLimited("interface")
        void save(T value);
    }

    static class GenericImplementation implements Store<String> {

        @Override
        public void save(String value) {}
    }

    abstract static class GenericBase<T> {

        @RateLimited("superclass")
        public void save(T value) {}
    }

    static class GenericSubclass extends GenericBase<String> {

        @Override
        public void save(String value) {}
    }

    interface Promise {

        @RateLimited("promise")
        void promised();
    }

    static class Keeps {

        public void promised() {}
    }

    static class KeepsByInheritance extends Keeps implements Promise {}

    static class Both implements Promise {

        @Override
        @RateLimited("own")
        public void promised() {}
    }

    interface Gives {

        @RateLimited("default")
        default void given() {}
    }

    static class ByDefault implements Gives {}

    static class Repeating {

        @RateLimited("one")
        @RateLimited("two")
        public void twice() {}

        @RateLimited.All({@RateLimited("one"), @RateLimited("two")})
        public void contained() {}

        @RateLimited("one")
        @Meta
        public void mixed() {}

        @Tiered
        public void tiered() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @RateLimited(zone = "meta", cost = "3")
    @interface Meta {

        @AliasFor(annotation = RateLimited.class, attribute = "key")
        String by() default "";
    }

    @Retention(RetentionPolicy.RUNTIME)
    @RateLimited("short")
    @RateLimited("long")
    @interface Tiered {}

    static class Aliased {

        @Meta(by = "header:X-Tenant")
        public void limited() {}
    }

    static class Inherited {

        public void inherited() {}
    }

    @RateLimited("class")
    static class PublicAndOther extends Inherited {

        public void visible() {}

        void packagePrivate() {}

        protected void forSubclasses() {}

        public static void ofClass() {}

        public final void publicAndFinal() {}

        protected final void forSubclassesAndFinal() {}

        private void hidden() {}

        @Override
        public String toString() {
            return "no call of the application";
        }
    }

    @Controller
    @RateLimited("class")
    static class AnnotatedController {

        @GetMapping("/handler")
        public void handler() {}

        @ModelAttribute
        public void model() {}

        public void helper() {}
    }

    @Controller
    @RateLimited("class")
    static class HiddenHandlers {

        @GetMapping("/protected")
        protected void forSubclasses() {}

        @GetMapping("/package")
        void packagePrivate() {}

        @GetMapping("/private")
        private void hidden() {}

        @GetMapping("/final")
        final void fixed() {}

        @GetMapping("/static")
        static void ofClass() {}

        void helper() {}
    }

    @RateLimited("class")
    static class OfAnotherPackage extends LinkedHashMap<String, String> {

        private static final long serialVersionUID = 1L;
    }

    @Controller
    @RateLimited("class")
    static class WithFinalMethod {

        @GetMapping("/handler")
        public void handler() {}

        public final void fixed() {}
    }

    @Controller
    static class WithFinalMethodAndArgument {

        @GetMapping("/handler")
        @RateLimited(zone = "z", key = "#id")
        public void handler(String id) {}

        public final void fixed() {}
    }
}
