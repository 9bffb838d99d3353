# frozen_string_literal: true

require 'json'
require 'omniauth_openid_connect'
require 'rack'
require 'rack/handler/webrick'
require 'securerandom'
require 'webrick'

told = JSON.parse(ARGV.fetch(0))
quiet = WEBrick::Log.new($stderr, WEBrick::Log::WARN)
server = WEBrick::HTTPServer.new(BindAddress: '127.0.0.1', Port: 0, Logger: quiet, AccessLog: [])
base = "http://127.0.0.1:#{server.config[:Port]}"
OmniAuth.config.logger = Logger.new($stderr)

form = lambda do |env|
  token = Rack::Protection::AuthenticityToken.token(env['rack.session'])
  <<~HTML
    <form method="post" action="/auth/openid_connect">
    <input type="hidden" name="authenticity_token" value="#{token}"><button type="submit">Log in</button></form>
  HTML
end

application = Rack::Builder.new do
  use Rack::Session::Cookie, secret: SecureRandom.hex(64)
  use OmniAuth::Builder do
    provider :openid_connect,
             issuer: told['issuer'],
             discovery: true,
             client_options: {
               identifier: told['clientId'],
               secret: told['clientSecret'],
               redirect_uri: "#{base}/auth/openid_connect/callback"
             },
             **told['said'].transform_keys(&:to_sym)
  end
  map('/login') { run ->(env) { [200, { 'Content-Type' => 'text/html' }, [form.call(env)]] } }
  map '/auth/openid_connect/callback' do
    run lambda { |env|
      person = env['omniauth.auth'].info
      [200, { 'Content-Type' => 'text/plain' }, ["logged in\n#{person.name}\n#{person.email}\n"]]
    }
  end
  map('/auth/failure') { run ->(env) { [500, { 'Content-Type' => 'text/plain' }, ["Error #{env['QUERY_STRING']}"]] } }
end

server.mount '/', Rack::Handler::WEBrick, application.to_app
puts JSON.generate(login: "#{base}/login")
$stdout.flush
server.start
