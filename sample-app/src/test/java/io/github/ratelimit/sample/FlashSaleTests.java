package io.github.ratelimit.sample;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FlashSaleTests {

    @Test
    void buyWhenStockIsLeftThenCountsDown() {
        FlashSale sale = new FlashSale(2);

        assertThat(sale.buy()).hasValue(1);
        assertThat(sale.buy()).hasValue(0);
    }

    @Test
    void buyWhenSoldOutThenNothingAndStaysSo() {
        FlashSale sale = new FlashSale(1);
        sale.buy();

        assertThat(sale.buy()).isEmpty();
        assertThat(sale.buy()).isEmpty();
    }
}
