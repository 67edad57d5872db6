/** A least-recently-used cache. Dropped values are created again on demand. */
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
