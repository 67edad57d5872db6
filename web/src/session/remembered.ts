import { computed, signal } from '@preact/signals'
import { session } from './session.ts'

/** A choice of the person who is signed in, such as the size of a pane. The browser keeps it. */
export type Remembered<Value> = {
  readonly value: Value
  readonly set: (value: Value) => void
}

/** `parse` refuses what an earlier version stored by returning undefined. */
export function remembered<Value>(
  name: string,
  initial: Value,
  parse: (stored: unknown) => Value | undefined,
): Remembered<Value> {
  const changes = signal(0)
  const key = () => `quipu-${name} ${session.value?.name ?? ''}`
  const value = computed(() => {
    void changes.value
    return parse(storedUnder(key())) ?? initial
  })
  return {
    get value() {
      return value.value
    },
    set(next) {
      localStorage.setItem(key(), JSON.stringify(next))
      changes.value += 1
    },
  }
}

function storedUnder(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null')
  } catch {
    return undefined
  }
}
