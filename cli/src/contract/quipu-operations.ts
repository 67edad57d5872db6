import { openApi } from '@quipu/contract'
import { type DocumentedOperation, operationsOf } from './open-api.ts'

/** The operations of Quipu. A file of its own, because only this command and the server load the document. */
export const quipuOperations = (version: string): ReadonlyMap<string, DocumentedOperation> =>
  operationsOf(openApi({ version, url: 'http://127.0.0.1' }))
