import packageJson from '../../package.json' with { type: 'json' }

/** What people and tapes are told. What decides has a version of its own. */
export const packageVersion = packageJson.version
