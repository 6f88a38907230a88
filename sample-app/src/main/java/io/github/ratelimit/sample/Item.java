package io.github.ratelimit.sample;

/**
 * Something the shop sells.
 *
 * @param id its number, which stays
 * @param name what the shelf says
 * @param cents its price in cents
 * @param picture the name of its picture under {@code /images}
 */
record Item(int id, String name, int cents, String picture) {}
