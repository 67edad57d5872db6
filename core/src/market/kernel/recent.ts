/** A map that keeps what was used last and forgets the rest. What it forgets can be made again. */
export type Recent<Key, Value> = {
  get(key: Key, make: () => Value): Value
}

export function recent<Key, Value extends object>(limit: number): Recent<Key, Value> {
  const values = new Map<Key, Value>()
  return {
    get(key, make) {
      const known = values.get(key)
      if (known !== undefined) {
        values.delete(key)
        values.set(key, known)
        return known
      }
      const value = make()
      if (values.size >= limit) values.delete(values.keys().next().value!)
      values.set(key, value)
      return value
    },
  }
}
