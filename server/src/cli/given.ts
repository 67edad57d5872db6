type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** The record without what was not given. */
export const present = <T extends object>(record: T): Present<T> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Present<T>
