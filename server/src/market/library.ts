import type { Store } from './store/index.ts'

/** The imported data of this process, and how often it has changed: markets made of it look at that. */
export class Library {
  readonly store: Store
  #version = 0

  constructor(store: Store) {
    this.store = store
  }

  get version(): number {
    return this.#version
  }

  /** Something was imported or deleted. */
  changed(): void {
    this.#version += 1
  }
}
