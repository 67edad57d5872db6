import { scenarioSchema } from '@quipu/contract'

export const scenarioSchemaPage = (): string => `${JSON.stringify(scenarioSchema(), undefined, 2)}\n`
