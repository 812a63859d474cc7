//! The application that the hosts run: one Perl program behind nginx, made by the build from a template.

/// Answers every request with its commit and its speed.
const SERVER: &str = r#"#!/usr/bin/perl
use strict;
use IO::Socket::INET;
$SIG{PIPE} = 'IGNORE';
# start
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 8080, Listen => 128, ReuseAddr => 1)
  or die "cannot listen: $!\n";
while (my $client = $server->accept) {
  while (my $line = <$client>) { last if $line =~ /^\r?\n$/ }
  my $body = "@COMMIT@ @SPEED@\n";
  print $client "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " . length($body) . "\r\n\r\n$body";
  close $client;
}
"#;

/// Puts commit and speed in their places, and says when it ran.
const BUILD: &str = r#"#!/bin/bash
set -eu
printf '%s ' "$(date +%s%N)" >>~/builds
mkdir -p bin
sed -e "s/@COMMIT@/$ISUGATE_COMMIT/" -e "s/@SPEED@/$(cat speed)/" server.pl >bin/app
chmod 755 bin/app
if [ -e slow ]; then sleep "$(cat slow)"; fi
printf '%s\n' "$(date +%s%N)" >>~/builds
"#;

/// In the place of the site that Debian's nginx brings.
pub const SITE: &str = "server {
  listen 80 default_server;
  location / { proxy_pass http://127.0.0.1:8080; }
}
";

/// Files of a commit whose application is so fast.
pub fn files(speed: u32) -> Vec<(&'static str, String)> {
    vec![
        ("server.pl", SERVER.to_owned()),
        ("build", BUILD.to_owned()),
        ("speed", format!("{speed}\n")),
        ("etc/nginx/sites-available/default", SITE.to_owned()),
    ]
}

/// The server with a line of Perl before it listens.
pub fn server_that_starts_with(perl: &str) -> String {
    SERVER.replace("# start", perl)
}

/// The unit that runs it.
pub const UNIT: &str = "[Unit]
Description=The application
StartLimitIntervalSec=0
[Service]
User=isucon
ExecStart=/home/isucon/webapp/bin/app
[Install]
WantedBy=multi-user.target
";

/// The benchmarker: loads the address for so many seconds and gives the speed that the application says.
pub const BENCH: &str = r#"#!/bin/bash
: >~/bench-runs
end=$(($(date +%s%N) + $2 * 100000000))
while :; do
  if body=$(curl -sf --max-time 2 "http://$1/"); then last=$body; fi
  [ "$(date +%s%N)" -ge "$end" ] && break
  sleep 0.1
done
rm -f ~/bench-runs
read -r commit speed <<<"${last-}"
printf '{"pass": true, "score": %s}\n' "${speed:-0}"
"#;
