// The image as an OCI archive, for `skopeo copy` or `docker load`. buildah's own variables (BUILDAH_ISOLATION, STORAGE_DRIVER) say how
// it works, and NODE_IMAGE names another base.
import { execFileSync, type StdioOptions } from 'node:child_process'
import { join } from 'node:path'
import { REPOSITORY } from '../../testkit/sources/source-files.ts'

/** Needs buildah, and the base image or its registry; answers the name of the file. */
export const buildImage = (buildah: string, version: string, folder: string): string => {
  const name = `mintmark-${version}-image.tar`
  const tag = `localhost/mintmark:${version}`
  const base = process.env['NODE_IMAGE']
  const stdio: StdioOptions = ['ignore', 'ignore', 'inherit']
  const options = { cwd: REPOSITORY, stdio }
  const build = ['build', '--file', 'deploy/Dockerfile', '--tag', tag]
  execFileSync(buildah, [...build, ...(base === undefined ? [] : ['--build-arg', `NODE_IMAGE=${base}`]), '.'], options)
  execFileSync(buildah, ['push', '--quiet', tag, `oci-archive:${join(folder, name)}:mintmark:${version}`], options)
  return name
}
