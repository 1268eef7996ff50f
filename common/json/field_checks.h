// The grammars of the interface's text fields. Each check is pure and gives "" where the text is
// fine, else what is wrong with it, to be read after the field's name ("/name must …").
#pragma once

#include <string>

namespace mlprof {

using TextCheck = std::string (*)(const std::string& text);

/// Letters, digits, '-', '_', '.'; 1 to 255; a letter or digit first.
std::string CheckName(const std::string& text);
/// A name, or NAME:VERSION with a version from 1.
std::string CheckId(const std::string& text);
/// A name, or SUBSCRIPTION/GROUP/NAME.
std::string CheckWorkspace(const std::string& text);
/// Anything a person writes: no control characters but newline and tab, at most 4096 bytes.
std::string CheckDescription(const std::string& text);
/// Tags and properties: a key without '=' or control characters; a value without control
/// characters.
std::string CheckTagKey(const std::string& text);
std::string CheckTagValue(const std::string& text);
/// "sha256:" and 64 hex digits.
std::string CheckSourceId(const std::string& text);
/// A file inside a source: relative, without "..", not empty.
std::string CheckFileInside(const std::string& text);
/// A folder inside a source: the same, or "" and "." for its root.
std::string CheckFolderInside(const std::string& text);
/// A place in the container that something may be mounted at: absolute, without "..", without ':'
/// and ',' (they separate mounts), not "/" itself, and not where the kernel's or the agent's files
/// are.
std::string CheckMountPoint(const std::string& text);
/// Whether `path` is `folder` or lies below it; both absolute and without "..". "//" and "/./"
/// count as "/".
bool LiesWithin(const std::string& path, const std::string& folder);
/// Origin form of a request target: '/' first, visible ASCII, no fragment.
std::string CheckUrlPath(const std::string& text);
std::string CheckHttpMethod(const std::string& text);
std::string CheckHeaderName(const std::string& text);
std::string CheckHeaderValue(const std::string& text);
std::string CheckEnvironmentName(const std::string& text);
std::string CheckEnvironmentValue(const std::string& text);
/// An argument of a command: no NUL, at most 128 KiB.
std::string CheckArgument(const std::string& text);
/// [HOST[:PORT]/]PATH[:TAG][@sha256:DIGEST], as Docker reads it.
std::string CheckImageReference(const std::string& text);
/// A requirement by name (PEP 508 without a URL): no options, paths or URLs.
std::string CheckPipPackage(const std::string& text);
std::string CheckCondaPackage(const std::string& text);

}  // namespace mlprof
