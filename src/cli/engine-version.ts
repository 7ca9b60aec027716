import packageJson from '../../package.json' with { type: 'json' }

/** Records are done again by the engine that made them; another one could come to something else. */
export const engineVersion = packageJson.version
