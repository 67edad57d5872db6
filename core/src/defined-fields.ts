type DefinedFields<Fields> = string extends keyof Fields
  ? { readonly [Name in keyof Fields]: Exclude<Fields[Name], undefined> }
  : {
      readonly [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name]
    } & {
      readonly [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<
        Fields[Name],
        undefined
      >
    }

/** The fields that are not undefined: a spread or a stored record must omit an absent field. */
export const definedFields = <const Fields extends object>(fields: Fields): DefinedFields<Fields> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as DefinedFields<Fields>
