package io.github.ratelimit;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import jakarta.servlet.ServletRequest;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDateTime;
import java.util.Calendar;
import java.util.Date;
import org.jspecify.annotations.NullMarked;

/** The architecture as rules: what each package may import. A package that is still empty breaks none. */
@AnalyzeClasses(packagesOf = LayersTests.class, importOptions = ImportOption.DoNotIncludeTests.class)
class LayersTests {

    private static final String ROOT = "io.github.ratelimit";
    private static final String[] JDK = {
        "java.lang..",
        "java.util..",
        "java.time..",
        "java.math..",
        "java.net..",
        "java.nio..",
        "java.io..",
        "java.security.."
    };

    /** A static method that says what time of day it is; also where it is only named, not called. */
    private static final DescribedPredicate<JavaAccess<?>> READS_WALL_CLOCK =
            DescribedPredicate.describe("reads the wall clock", access -> {
                String owner = access.getTargetOwner().getName();
                String name = access.getName();
                return owner.equals("java.lang.System") && name.equals("currentTimeMillis")
                        || owner.startsWith("java.time.") && (name.equals("now") || name.startsWith("system"))
                        || owner.equals("java.util.Date") && name.equals("<init>")
                        || owner.equals("java.util.Calendar") && name.equals("getInstance");
            });

    @ArchTest
    static final ArchRule rootImportsOnlyWhatEveryApplicationHas = mayImport(
                    ROOT, "jakarta.servlet..", "org.jspecify..")
            .because("an application that imports our API must not need anything else to compile");

    @ArchTest
    static final ArchRule algorithmIsPure = mayImport(ROOT + ".algorithm", "org.jspecify..")
            .because("arithmetic that knows no clock, store or framework can be proved by itself");

    @ArchTest
    static final ArchRule keyKnowsTheRequestAndNothingElse = mayImport(
                    ROOT + ".key", ROOT, "jakarta.servlet..", "org.jspecify..")
            .because("who is counted depends on the request alone, not on limits");

    @ArchTest
    static final ArchRule policyIsPlainData = mayImport(
                    ROOT + ".policy", ROOT, ROOT + ".algorithm", ROOT + ".key", "org.jspecify..")
            .because("what was configured is a snapshot that no framework object leaks into");

    @ArchTest
    static final ArchRule storeIsAPlainContract = mayImport(
                    ROOT + ".store", ROOT, ROOT + ".algorithm", ROOT + ".key", "org.jspecify..")
            .because("every store is written against it, whatever library that store needs");

    @ArchTest
    static final ArchRule localStoreNeedsCaffeineOnly = mayImport(
                    ROOT + ".store.local",
                    ROOT + ".algorithm",
                    ROOT + ".key",
                    ROOT + ".store",
                    "com.github.benmanes.caffeine..",
                    "org.slf4j..",
                    "org.jspecify..")
            .because("the local store works in any JVM, without Spring or Redis");

    @ArchTest
    static final ArchRule observeKnowsDecisionsAndKeysOnly = mayImport(
                    ROOT + ".observe", ROOT, ROOT + ".key", "org.slf4j..", "org.jspecify..")
            .because("what is remembered of a refusal does not depend on how it was decided");

    @ArchTest
    static final ArchRule limiterNeedsNoFramework = mayImport(
                    ROOT + ".limiter",
                    ROOT,
                    ROOT + ".algorithm",
                    ROOT + ".key",
                    ROOT + ".observe",
                    ROOT + ".policy",
                    ROOT + ".store",
                    "org.slf4j..",
                    "org.jspecify..")
            .because("the engine decides the same for a filter, an annotation and a test");

    @ArchTest
    static final ArchRule providedNeedsCaffeineOnly = mayImport(
                    ROOT + ".provided",
                    ROOT,
                    ROOT + ".key",
                    ROOT + ".policy",
                    "com.github.benmanes.caffeine..",
                    "org.slf4j..",
                    "org.jspecify..")
            .because("what the application says of a key is cached, whoever asks for it");

    @ArchTest
    static final ArchRule doorsNeverImportEachOther = slices().matching(ROOT + ".(web|method|metrics|actuate)..")
            .should()
            .notDependOnEachOther()
            .allowEmptyShould(true)
            .because("an application may lack the libraries of any of them: what two need belongs below both");

    @ArchTest
    static final ArchRule storesNeverImportEachOther = slices().matching(ROOT + ".store.(*)..")
            .should()
            .notDependOnEachOther()
            .allowEmptyShould(true)
            .because("either works without the other's library");

    @ArchTest
    static final ArchRule policyAndStoreNeverImportEachOther = slices().matching(ROOT + ".(policy|store)..")
            .should()
            .notDependOnEachOther()
            .allowEmptyShould(true)
            .because("state is consumption, never configuration");

    @ArchTest
    static final ArchRule nothingImportsTheTop = noClasses()
            .that(resideOutsideOfPackage(ROOT + ".autoconfigure.."))
            .should()
            .dependOnClassesThat(resideInAPackage(ROOT + ".autoconfigure.."))
            .allowEmptyShould(true)
            .because("the wiring knows the parts, the parts do not know the wiring");

    @ArchTest
    static final ArchRule springStaysAtTheEdges = noClasses()
            .that(resideOutsideOf("web", "method", "actuate", "autoconfigure", "store.redis"))
            .should()
            .dependOnClassesThat(resideInAPackage("org.springframework.."))
            .allowEmptyShould(true)
            .because("the engine runs and is tested without a container");

    @ArchTest
    static final ArchRule micrometerStaysInMetrics = noClasses()
            .that(resideOutsideOf("metrics", "autoconfigure"))
            .should()
            .dependOnClassesThat(resideInAPackage("io.micrometer.."))
            .allowEmptyShould(true)
            .because("Micrometer may be absent");

    @ArchTest
    static final ArchRule actuatorStaysInActuate = noClasses()
            .that(resideOutsideOf("actuate", "autoconfigure"))
            .should()
            .dependOnClassesThat(
                    resideInAnyPackage("org.springframework.boot.actuate..", "org.springframework.boot.health.."))
            .allowEmptyShould(true)
            .because("Actuator may be absent");

    @ArchTest
    static final ArchRule webServesServletsOnly = noClasses()
            .that(resideInAPackage(ROOT + ".web.."))
            .should()
            .dependOnClassesThat(resideInAnyPackage("org.springframework.boot..", "org.springframework.aop.."))
            .allowEmptyShould(true)
            .because("the filter needs servlets and Spring MVC, no Boot and no proxies");

    @ArchTest
    static final ArchRule nothingIsLookedUp = noClasses()
            .should()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.net.InetAddress")
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.net.InetSocketAddress")
            .orShould()
            .callMethod(ServletRequest.class, "getRemoteHost")
            .orShould()
            .callMethod(ServletRequest.class, "getLocalName")
            .because("who waits for a name server serves nobody else, and a name is what its owner says it is");

    @ArchTest
    static final ArchRule whatDecidesKnowsNoWallClock = noClasses()
            .that(resideInAnyPackage(ROOT + ".algorithm..", ROOT + ".key..", ROOT + ".store.."))
            .should()
            .accessTargetWhere(READS_WALL_CLOCK)
            .orShould()
            .dependOnClassesThat(belongToAnyOf(
                    Instant.class, InstantSource.class, Clock.class, LocalDateTime.class, Date.class, Calendar.class))
            .because("instances whose clocks differ must agree: the server of the store says what time it is,"
                    + " and this instance only how much has passed");

    @ArchTest
    static final ArchRule theWallClockIsHandedIn = noClasses()
            .that(resideOutsideOfPackages(ROOT + ".autoconfigure..", ROOT + ".actuate.."))
            .should()
            .accessTargetWhere(READS_WALL_CLOCK)
            .because("the time of day is for display and schedules, and is read where it is wanted and told so");

    @ArchTest
    static final ArchRule oneLoggingApi = noClasses()
            .should()
            .dependOnClassesThat(resideInAnyPackage("java.util.logging..", "org.apache.commons.logging.."))
            .because("SLF4J is what a Boot application configures");

    @ArchTest
    static final ArchRule noFieldInjection = noFields()
            .should()
            .beAnnotatedWith("org.springframework.beans.factory.annotation.Autowired")
            .orShould()
            .beAnnotatedWith("jakarta.inject.Inject")
            .orShould()
            .beAnnotatedWith("jakarta.annotation.Resource")
            .because("what an object needs is said by its constructor");

    @ArchTest
    static void everyPackageIsNullMarked(JavaClasses classes) {
        assertThat(classes.stream().map(JavaClass::getPackage).distinct())
                .as("packages, because NullAway looks only at those that say so")
                .allSatisfy(each -> assertThat(each.isAnnotatedWith(NullMarked.class))
                        .as(each.getName())
                        .isTrue());
    }

    private static ArchRule mayImport(String importer, String... imported) {
        return classes()
                .that()
                .resideInAPackage(importer)
                .should()
                .onlyDependOnClassesThat(
                        resideInAPackage(importer).or(resideInAnyPackage(JDK)).or(resideInAnyPackage(imported)))
                .allowEmptyShould(true);
    }

    private static DescribedPredicate<JavaClass> resideOutsideOf(String... names) {
        DescribedPredicate<JavaClass> inside = DescribedPredicate.alwaysFalse();
        for (String name : names) {
            inside = inside.or(resideInAPackage(ROOT + "." + name + ".."));
        }
        return DescribedPredicate.not(inside);
    }
}
