package io.github.ratelimit.method;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * A key or cost that is written as an expression; parsed once, and safe for use by many threads.
 *
 * <p>An expression that fails on a call has no value there. The first failure of each is logged with its cause, since
 * it is a fault of the application and not of the caller; the others are silent, since a caller may provoke them.
 */
final class CallExpression {

    private static final Logger log = LoggerFactory.getLogger(CallExpression.class);
    private static final SpelExpressionParser PARSER = new SpelExpressionParser();

    private final String where;
    private final SpelExpression expression;
    private final boolean argumentBound;
    private final AtomicBoolean complained = new AtomicBoolean();

    private CallExpression(String where, SpelExpression expression, boolean argumentBound) {
        this.where = where;
        this.expression = expression;
        this.argumentBound = argumentBound;
    }

    /** Whether a key or cost is an expression. */
    static boolean isExpression(String text) {
        return text.startsWith("#");
    }

    /**
     * Reads an expression.
     *
     * @param where the annotated method, for the log
     * @throws IllegalArgumentException with a sentence that follows the expression and says what to write
     */
    static CallExpression parse(String text, Variables variables, String where) {
        SpelExpression expression = parsed(text);
        return new CallExpression(where, expression, namesArgument(expression.getAST(), variables));
    }

    private static SpelExpression parsed(String text) {
        try {
            return PARSER.parseRaw(text);
        } catch (ParseException e) {
            throw new IllegalArgumentException("is no expression: " + e.getSimpleMessage(), e);
        } catch (IllegalStateException | IllegalArgumentException e) {
            throw new IllegalArgumentException("is no expression: " + e.getMessage(), e);
        }
    }

    /** Whether it can be evaluated only when the arguments are there. */
    boolean argumentBound() {
        return argumentBound;
    }

    /** The value for a call; {@code null} when there is none, or when the expression fails. */
    @Nullable
    Object evaluate(Call call) {
        try {
            return expression.getValue(call.context());
        } catch (EvaluationException e) {
            failed(call, e.getSimpleMessage(), e);
        } catch (RuntimeException e) {
            failed(call, "it threw an exception", e);
        }
        return null;
    }

    /** Logs, once, that the expression gives nothing that can be used. */
    void complain(String problem, @Nullable Throwable cause) {
        if (complained.compareAndSet(false, true)) {
            log.warn(
                    "The expression {} of {} {}; further failures of it are not logged",
                    expression.getExpressionString(),
                    where,
                    problem,
                    cause);
        }
    }

    /** Without a request there is nothing to see in {@code #request}: that is no fault. */
    private void failed(Call call, String problem, RuntimeException cause) {
        if (call.request() != null) {
            complain("failed: " + problem, cause);
        } else {
            log.debug("No value without a request: {} of {}", expression.getExpressionString(), where, cause);
        }
    }

    private static boolean namesArgument(SpelNode node, Variables variables) {
        boolean found = false;
        if (node instanceof FunctionReference) {
            throw new IllegalArgumentException("calls " + node.toStringAST() + ", but there are no functions");
        }
        if (node instanceof VariableReference) {
            String name = node.toStringAST().substring(1);
            if (!name.equals("this") && !variables.contains(name)) {
                throw new IllegalArgumentException("names #" + name + ", which is not there; " + variables.advice());
            }
            found = variables.argument(name) >= 0;
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            found |= namesArgument(node.getChild(i), variables);
        }
        return found;
    }
}
