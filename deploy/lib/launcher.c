/* bin/NAME of a bundle: runs libexec/NAME with the bundle's own loader and libraries, whatever the
 * machine has. Static, so that it needs nothing itself, no shell either.
 *
 * The program then takes the loader for itself (/proc/self/exe): so its fellows are named to it, the
 * agent by MLPROF_AGENT and the server by PATH. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static void path_in(char *to, const char *bundle, const char *folder, const char *name) {
  if (snprintf(to, PATH_MAX, "%s/%s/%s", bundle, folder, name) >= PATH_MAX) {
    fputs("the bundle's path is too long\n", stderr);
    exit(126);
  }
}

static void name_fellows(const char *bundle) {
  char agent[PATH_MAX];
  path_in(agent, bundle, "bin", "mlprof-agent");
  setenv("MLPROF_AGENT", agent, 0);
  const char *former = getenv("PATH");
  const size_t size = strlen(bundle) + (former != NULL ? strlen(former) : 0) + 8;
  char *path = malloc(size);
  if (path == NULL) exit(126);
  snprintf(path, size, "%s/bin%s%s", bundle, former != NULL ? ":" : "",
           former != NULL ? former : "");
  setenv("PATH", path, 1);
}

int main(int argc, char **argv) {
  char self[PATH_MAX];
  const char *told = (const char *)getauxval(AT_EXECFN);
  if (told == NULL || realpath(told, self) == NULL) {
    perror("the bundle's place");
    return 126;
  }
  char *slash = strrchr(self, '/');
  const char *name = slash + 1;
  *slash = '\0';
  char *bundle_end = strrchr(self, '/');
  if (bundle_end == NULL) return 126;
  *bundle_end = '\0';
  const char *bundle = self; /* "" where it is the root */
  char program[PATH_MAX], loader[PATH_MAX], libraries[PATH_MAX];
  path_in(program, bundle, "libexec", name);
  path_in(loader, bundle, "lib", "ld.so");
  path_in(libraries, bundle, "lib", "");
  name_fellows(bundle);
  char **arguments = calloc((size_t)argc + 7, sizeof *arguments);
  if (arguments == NULL) return 126;
  int count = 0;
  arguments[count++] = loader;
  arguments[count++] = "--library-path";
  arguments[count++] = libraries;
  arguments[count++] = "--argv0";
  arguments[count++] = argv[0];
  arguments[count++] = program;
  for (int i = 1; i < argc; ++i) arguments[count++] = argv[i];
  execv(loader, arguments);
  perror(loader);
  return 127;
}
