package io.github.ratelimit.store;

class MemoryChangesTests extends ChangeStoreContract {

    @Override
    protected ChangeStore store() {
        return ChangeStore.inMemory();
    }
}
