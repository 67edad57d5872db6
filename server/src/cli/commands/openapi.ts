import type { Command } from '../command.ts'

export const openapiCommand: Command = {
  name: 'openapi',
  about: 'Print the OpenAPI document of the running server.',
  operations: ['getOpenApi'],
  example: 'quipu openapi > openapi.json',
  run: async ({ anonymous, json, print }) => {
    const document = await anonymous().getOpenApi()
    print(json ? JSON.stringify(JSON.parse(document)) : document.trimEnd())
    return 0
  },
}
