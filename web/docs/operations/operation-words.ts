import type { AnyShape, Operation, Who } from '@quipu/contract'

const callers: Readonly<Record<Who, string>> = {
  account: 'a trading key or an OAuth token of an account',
  partner: 'a key of a partner',
  issuer: 'a key of an external issuer',
  operator: 'an operator',
  visitor: 'anyone, with the data of main',
  anyone: 'anyone, without credentials',
}

export const callersInWords = ({ who }: Operation): string => who.map((one) => callers[one]).join(', ')

export const scopeInWords = ({ scope }: Operation): string => {
  if (scope === 'never') return 'none: OAuth tokens are refused'
  return scope === 'read' ? 'read, which every token has' : scope
}

/** What a reader should know before the first call. */
export const notesOf = ({ state, deprecated, needsSim }: Operation): readonly string[] => [
  ...(state === 'empty' ? ['The response has the right format, but never any content.'] : []),
  ...(state === 'refused' ? ['Quipu always refuses this operation.'] : []),
  ...(deprecated ? ['Deprecated.'] : []),
  ...(needsSim ? ['Not served with the setting `sim` off.'] : []),
]

export type InputPart = { readonly title: string; readonly id: string; readonly shape: AnyShape }

/** The parts of a request that have fields. */
export function inputParts({ params, query, headers, body, bodyKind }: Operation): readonly InputPart[] {
  const all = [
    { title: 'Path parameters', id: 'path-parameters', shape: params },
    { title: 'Query parameters', id: 'query-parameters', shape: query },
    { title: 'Headers', id: 'headers', shape: headers },
    { title: bodyKind === 'form' ? 'Form' : 'Body', id: 'body', shape: body },
  ]
  return all.flatMap(({ shape, ...part }) => (shape === undefined ? [] : [{ ...part, shape }]))
}
