type Present<Given> = { readonly [Field in keyof Given]?: Exclude<Given[Field], undefined> }

/** The fields that are there: absent is not the same as undefined to whoever spreads or stores a record. */
export const present = <Given extends object>(given: Given): Present<Given> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Present<Given>
