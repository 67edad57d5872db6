import { optional, record, type Shape, text } from '../../shape/index.ts'
import { shape, wrong } from '../../shape/shape.ts'

/** Only operators may call, never with an OAuth token of an account. */
export const operatorOnly = { family: 'sim', who: ['operator'], scope: 'never' } as const

/** An operator, or an account for its own data: with its key or the token of a signed-in user, not with an app's. */
export const operatorOrOwner = { ...operatorOnly, who: ['operator', 'account'] } as const

/** A world in a path. Any text is accepted, because an unknown name is a 404. */
export const worldParam = { world: text({ min: 1, max: 64 }) }

export const inWorld = record(worldParam)

/** An operation on one world. */
const world = { params: inWorld, errors: ['worldNotFound'] } as const
export const ofWorld = { ...operatorOnly, ...world } as const
export const ofWorldOrOwner = { ...operatorOrOwner, ...world } as const

export const worldName = () =>
  text({ pattern: /^[a-z0-9][a-z0-9-]{0,39}$/, expected: 'a name of a-z, 0-9 and -', example: 'friday' })

/** What people call a world, besides its name. */
export const worldTexts = {
  title: optional(text({ max: 60, example: 'Stops instead of buying the dip' })).about(
    'At most 60 characters. Empty: none.',
  ),
  note: optional(text({ max: 500 })).about('At most 500 characters. Empty: none.'),
}

/** A name to show for an account. */
export const accountName = () =>
  text().about(
    'Name of the user, name of the identity, your own id, or account number: the first that it has.',
  )

export const seed = (): Shape<string, string | number> =>
  shape({
    parse: (value, path, problems) => {
      const written = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
      return typeof written === 'string' && /^[\x21-\x7e]{1,64}$/.test(written)
        ? written
        : wrong(problems, path, 'a seed of 1 to 64 printable characters, or a whole number', value)
    },
    json: () => ({ type: ['string', 'integer'], examples: ['42'] }),
  })
