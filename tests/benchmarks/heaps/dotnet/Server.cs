// A server whose heap .NET sizes by the container: `dotnet server.dll KEPT_MIB GARBAGE_MIB` keeps so
// much, and makes so much garbage a request. Answers 500 where the heap is exhausted, as frameworks
// do. HTTP by hand: .NET's own listener asks for an OpenSSL that Debian has no more.
using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;

public static class Server {
  const int KeptPiece = 64 << 10;
  const int GarbagePiece = 16 << 10;
  const int AtOnce = 64;  // pieces of garbage that are reachable together
  static readonly List<byte[]> kept = new List<byte[]>();

  public static int Main(string[] args) {
    Keep(int.Parse(args[0]));
    int garbageMib = int.Parse(args[1]);
    var listener = new TcpListener(IPAddress.Any, 8080);
    listener.Start();
    Console.WriteLine("heap at most " + (GC.GetGCMemoryInfo().TotalAvailableMemoryBytes >> 20) + " MiB");
    while (true) {
      var client = listener.AcceptTcpClient();
      client.NoDelay = true;
      new Thread(() => Serve(client, garbageMib)).Start();
    }
  }

  static void Keep(int mib) {
    for (int i = 0; i < (mib << 20) / KeptPiece; ++i) {
      var piece = new byte[KeptPiece];
      for (int at = 0; at < piece.Length; at += 4096) piece[at] = 1;
      kept.Add(piece);
    }
  }

  static void Serve(TcpClient client, int garbageMib) {
    var stream = new BufferedStream(client.GetStream(), 16384);
    try {
      while (SkipRequest(stream)) {
        var answer = Encoding.ASCII.GetBytes(Answer(garbageMib));
        stream.Write(answer, 0, answer.Length);
        stream.Flush();
      }
    } catch (IOException) {
    }
    client.Close();
  }

  static string Answer(int garbageMib) {
    try {
      return Response("200 OK", "{\"touched\":" + MakeGarbage(garbageMib) + "}");
    } catch (OutOfMemoryException) {
      return Response("500 Internal Server Error", "{\"error\":\"System.OutOfMemoryException\"}");
    }
  }

  static string Response(string status, string body) {
    return "HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\nContent-Length: " + body.Length +
           "\r\n\r\n" + body;
  }

  static long MakeGarbage(int mib) {
    long touched = 0;
    var reachable = new byte[AtOnce][];
    for (int i = 0; i < (mib << 20) / GarbagePiece; ++i) {
      var piece = new byte[GarbagePiece];
      piece[i % piece.Length] = 1;
      reachable[i % AtOnce] = piece;
      touched += reachable[i * 7 % Math.Min(i + 1, AtOnce)].Length;
    }
    return touched;
  }

  // Whether there was one.
  static bool SkipRequest(Stream stream) {
    if (string.IsNullOrEmpty(Line(stream))) return false;
    int length = 0;
    for (string field; !string.IsNullOrEmpty(field = Line(stream));) {
      if (field.ToLowerInvariant().StartsWith("content-length:")) length = int.Parse(field.Substring(15));
    }
    for (int i = 0; i < length; ++i) stream.ReadByte();
    return true;
  }

  static string Line(Stream stream) {
    var line = new StringBuilder();
    int read;
    while ((read = stream.ReadByte()) >= 0 && read != '\n') {
      if (read != '\r') line.Append((char)read);
    }
    return read < 0 ? null : line.ToString();
  }
}
