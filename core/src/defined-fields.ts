type DefinedFields<Fields> = string extends keyof Fields
  ? { readonly [Field in keyof Fields]: Exclude<Fields[Field], undefined> }
  : { readonly [Field in keyof Fields]?: Exclude<Fields[Field], undefined> }

/** The fields that are not undefined: a spread or a stored record must omit an absent field. */
export const definedFields = <Fields extends object>(fields: Fields): DefinedFields<Fields> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as DefinedFields<Fields>
