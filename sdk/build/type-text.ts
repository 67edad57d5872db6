import type { Schema } from '@quipu/contract'

/** Whether a type describes values that a client sends, or values that it receives. */
export type ShapeDirection = 'sent' | 'received'

/** Collects the named types of a declaration file while their text is written. */
export class NamedTypes {
  readonly #texts = new Map<string, string>()
  readonly #names = new Map<string, string>()

  /** The declarations by name, in the order of the alphabet. */
  get declarations(): readonly string[] {
    return [...this.#texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)
  }

  /** The name of a component. A component that is both sent and received has a second name if its types differ. */
  nameOf(component: string, inner: Schema | undefined, direction: ShapeDirection): string {
    const key = `${direction} ${component}`
    const known = this.#names.get(key)
    if (known !== undefined) return known
    // A recursive component refers to itself without its schema.
    if (inner === undefined) return component
    this.#names.set(key, component)
    const text = this.#declaration(component, inner, direction)
    const other = this.#texts.get(component)
    if (other === undefined || other === text) {
      this.#texts.set(component, text)
      return component
    }
    const name = `${component}${direction === 'sent' ? 'Input' : 'Output'}`
    this.#names.set(key, name)
    this.#texts.set(name, this.#declaration(name, inner, direction))
    return name
  }

  /** Declares an interface for an object, or a type for any other schema. */
  #declaration(name: string, schema: Schema, direction: ShapeDirection): string {
    const text = this.typeText(schema, direction)
    const about = commentText(schema['description'], '')
    return text.startsWith('{') && text.endsWith('}')
      ? `${about}export interface ${name} ${text}`
      : `${about}export type ${name} = ${text}`
  }

  /** The TypeScript type of a schema. */
  typeText(schema: Schema, direction: ShapeDirection, indent = ''): string {
    const { component, schema: inner, type, anyOf } = schema
    if (component !== undefined) return this.nameOf(component, inner, direction)
    if ('const' in schema) return JSON.stringify(schema['const'])
    if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
    if (direction === 'sent' && (isTime(schema) || anyOf?.some(isTime))) return 'string | Date'
    if (anyOf) return unionText(anyOf.map((one) => this.typeText(one, direction, indent)))
    if (Array.isArray(type))
      return unionText(type.map((one) => this.typeText({ ...schema, type: one }, direction, indent)))
    return this.#plainText(schema, direction, indent)
  }

  #plainText(schema: Schema, direction: ShapeDirection, indent: string): string {
    switch (schema['type']) {
      case 'string':
        return schema['format'] === 'binary' ? 'Uint8Array' : 'string'
      case 'boolean':
      case 'number':
      case 'null':
        return schema['type']
      case 'integer':
        return 'number'
      case 'array': {
        const item = this.typeText(schema.items ?? {}, direction, indent)
        return `readonly ${/[ |&]/.test(item) ? `(${item})` : item}[]`
      }
      case 'object':
        return this.#objectText(schema, direction, indent)
      case undefined:
        return 'unknown'
      default:
        throw new Error(`a schema has the unknown type ${JSON.stringify(schema['type'])}`)
    }
  }

  #objectText(schema: Schema, direction: ShapeDirection, indent: string): string {
    const { properties = {}, required = [], additionalProperties: others } = schema
    const fields = Object.entries(properties).map(([name, field]) =>
      this.fieldText(name, field, {
        direction,
        // The server fills in a default, so the field is always in a response.
        isRequired: required.includes(name) || (direction === 'received' && 'default' in field),
        indent: `${indent}  `,
      }),
    )
    if (others !== undefined && others !== false) {
      const text = others === true ? 'unknown' : this.typeText(others, direction, `${indent}  `)
      fields.push(`${indent}  readonly [key: string]: ${text}`)
    }
    return fields.length === 0 ? 'Record<never, never>' : `{\n${fields.join('\n')}\n${indent}}`
  }

  fieldText(
    name: string,
    field: Schema,
    { direction, isRequired, indent }: { direction: ShapeDirection; isRequired: boolean; indent: string },
  ): string {
    const type = this.typeText(field, direction, indent)
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name)
    const about = commentText(field['description'], indent)
    if (isRequired) return `${about}${indent}readonly ${key}: ${type}`
    const absent = unionText(direction === 'sent' ? [type, 'null', 'undefined'] : [type, 'undefined'])
    return `${about}${indent}readonly ${key}?: ${absent}`
  }
}

/** A time that a client sends is text or a `Date`. */
const isTime = ({ format }: Schema): boolean => format === 'date' || format === 'date-time'

const unionText = (types: readonly string[]): string =>
  types.includes('unknown') ? 'unknown' : [...new Set(types)].join(' | ')

/** A JSDoc comment on the lines above a declaration. */
export const commentText = (about: unknown, indent: string): string =>
  typeof about === 'string' ? `${indent}/** ${about.replaceAll('*/', '* /')} */\n` : ''
