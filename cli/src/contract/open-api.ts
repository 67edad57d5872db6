import { mergeFields, type SchemaFields, schemaFields } from './fields.ts'
import { type Json, listOf, objectOf, resolved } from './json.ts'

/** The parts of an operation that are compared: parameters, the body, and the successful response. */
export type DocumentedOperation = {
  /** `GET /v2/orders/{}`: names of path parameters do not matter. */
  readonly key: string
  /** The same with its names. */
  readonly title: string
  readonly fields: SchemaFields
}

/** A document is not an OpenAPI document. */
export class NotOpenApi extends Error {
  override readonly name = 'NotOpenApi'
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const

/** The operations of an OpenAPI document. */
export function operationsOf(document: unknown): ReadonlyMap<string, DocumentedOperation> {
  const root = objectOf(document)
  const paths = objectOf(root['paths'])
  if (Object.keys(paths).length === 0) throw new NotOpenApi('expected an OpenAPI document with paths')
  const base = basePath(root)
  const operations = new Map<string, DocumentedOperation>()
  for (const [path, item] of Object.entries(paths))
    for (const method of methods) {
      const operation = objectOf(item)[method]
      if (operation === undefined) continue
      const title = `${method.toUpperCase()} ${base}${path}`
      const key = title.replace(/\{[^}]*\}/g, '{}')
      operations.set(key, {
        key,
        title,
        fields: fieldsOfOperation(root, objectOf(item), objectOf(operation)),
      })
    }
  return operations
}

/** Some documents have a part of every path in the URL of the server. */
function basePath(root: Json): string {
  const { url } = objectOf(listOf(root['servers'])[0])
  if (typeof url !== 'string') return ''
  const path = url.startsWith('/') ? url : URL.canParse(url) ? new URL(url).pathname : ''
  return path.replace(/\/+$/, '')
}

function fieldsOfOperation(root: Json, item: Json, operation: Json): SchemaFields {
  const resolve = (value: unknown): Json => resolved(root, value)
  const parameters = [...listOf(item['parameters']), ...listOf(operation['parameters'])].map(resolve)
  const named = parameters
    .filter(({ in: location }) => location === 'query' || location === 'header')
    .map(({ in: location, name, schema }) =>
      schemaFields(root, schema, `${String(location)} ${String(name).toLowerCase()}`),
    )
  const body = contentOf(root, resolve(operation['requestBody'])).map((schema) =>
    schemaFields(root, schema, 'body'),
  )
  const responses = Object.entries(objectOf(operation['responses']))
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, response]) => contentOf(root, resolve(response)))
    .map((schema) => schemaFields(root, schema, 'response'))
  return mergeFields([...named, ...body, ...responses])
}

/** The schemas of JSON content and of forms. */
const contentOf = (root: Json, { content }: Json): readonly unknown[] =>
  Object.entries(objectOf(content))
    .filter(([type]) => /json|x-www-form-urlencoded/.test(type))
    .map(([, media]) => resolved(root, media)['schema'])
