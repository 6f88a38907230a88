package io.github.ratelimit.method;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Names for methods: {@code Shop#search}, and longer ones only where that would not tell two of them apart. */
final class UniqueNames {

    private final Set<String> taken;

    /**
     * No method is named.
     *
     * @param taken names that are not given
     */
    UniqueNames(Set<String> taken) {
        this.taken = new HashSet<>(taken);
    }

    /**
     * Names these methods; equal methods in equal company always get equal names.
     *
     * <p>Methods that would have one name all get their parameter types, then the package, then all but the first an
     * ordinal.
     */
    Map<MethodSite, String> name(Collection<MethodSite> sites) {
        Map<MethodSite, String> names = new HashMap<>();
        List<MethodSite> rest = sites.stream().sorted(MethodSite.ORDER).toList();
        for (Function<MethodSite, String> form : MethodSite.NAMES) {
            Map<String, Long> uses = rest.stream().collect(Collectors.groupingBy(form, Collectors.counting()));
            List<MethodSite> ambiguous = new ArrayList<>();
            for (MethodSite site : rest) {
                String name = form.apply(site);
                if (uses.getOrDefault(name, 0L) == 1 && taken.add(name)) {
                    names.put(site, name);
                } else {
                    ambiguous.add(site);
                }
            }
            rest = ambiguous;
        }
        rest.forEach(site -> names.put(site, another(MethodSite.NAMES.get(2).apply(site))));
        return names;
    }

    /** The name itself, or with the first ordinal that makes it another. */
    String another(String name) {
        String unique = name;
        for (int ordinal = 2; !taken.add(unique); ordinal++) {
            unique = name + "-" + ordinal;
        }
        return unique;
    }
}
